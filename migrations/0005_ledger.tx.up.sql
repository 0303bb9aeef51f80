-- The double-entry ledger. A posting moves amount from one account to another, so money that does not
-- balance cannot be written down. Nothing here is ever changed or removed.

create table accounts (
  id int generated always as identity primary key,
  name text not null unique,
  merchant_id uuid references merchants,
  pocket text check (pocket in ('available', 'locked'))
);

-- What each merchant has, by asset. Platform accounts have no row here: they are summed from postings,
-- so that no row is hot for everybody.
create table balances (
  merchant_id uuid not null references merchants,
  asset text not null,
  available numeric(38,8) not null default 0,
  locked numeric(38,8) not null default 0,
  primary key (merchant_id, asset)
) with (fillfactor = 50);

-- Accounts that owe: a reversal has taken their available balance below zero (addendum §6). balances keeps this itself, so that who
-- signs payouts looks at a short table. A debt that was made good stays with owed = 0.
create table debts (
  merchant_id uuid not null,
  asset text not null,
  owed numeric(38,8) not null check (owed >= 0),
  changed_at timestamptz not null default now(),      -- when the account began to owe, or owed nothing any more
  primary key (merchant_id, asset)
);
create index debts_open on debts (merchant_id, asset) where owed > 0;

-- note_debt notes what an account owes. When it owes nothing any more, its payouts that waited for approval are looked at again;
-- a job that somebody holds is left to them.
create function note_debt() returns trigger language plpgsql as $$
begin
  insert into debts (merchant_id, asset, owed) values (new.merchant_id, new.asset, greatest(0, -new.available))
    on conflict (merchant_id, asset) do update set owed = excluded.owed,
      changed_at = case when (debts.owed > 0) = (excluded.owed > 0) then debts.changed_at else now() end;
  if new.available >= 0 then
    update jobs j set run_at = now() from (
        select w.kind, w.ref from payout_approvals a join payouts p on p.id = a.payout_id
          join jobs w on w.kind = 'payout.broadcast' and w.ref = p.id
        where a.decision is null and p.merchant_id = new.merchant_id and p.asset = new.asset and p.status = 'queued'
        for update of w skip locked) w
      where j.kind = w.kind and j.ref = w.ref and j.run_at > now();
  end if;
  return null;
end $$;

create trigger balances_debt after update of available on balances
  for each row when (old.available < 0 or new.available < 0) execute function note_debt();

create type entry_kind as enum (
  'payout_held', 'payout_settled', 'payout_refunded', 'gas_spent', 'cost_taken', 'beside_received', 'payin_credited', 'payin_finalised', 'payin_reversed',
  'treasury_opened', 'treasury_funded', 'treasury_undone', 'treasury_lost', 'treasury_corrected',
  'unclaimed_held', 'unclaimed_undone', 'unclaimed_assigned');

-- An entry's reference is its subject, kind and turn. Most subjects are payouts and transfers, whose ids rise with time, so
-- that the index of references is filled from left to right and has no gaps.
create table entries (
  id bigint generated always as identity primary key,
  subject uuid not null,                              -- the payout or transfer; of what has no id, ledger.Named of its name
  kind entry_kind not null,
  turn int not null,                                  -- how often the subject was credited: each time is an event of its own
  digest bytea not null,                              -- of the postings: the same reference must mean the same money
  unique (subject, kind, turn) with (fillfactor = 45)
);

-- Columns stand in an order that leaves no room between them. A posting's number is made of its entry's, in place of an index
-- of postings by entry: those of entry e are between e * 16 and e * 16 + 15. That the entry and the accounts are there is
-- post's to see to: foreign keys would lock the platform's accounts in every transaction, and cost as much as the postings
-- themselves.
create table postings (
  id bigint primary key check (id & 15 > 0),          -- entry * 16 + place in it, from 1
  created_at timestamptz not null default now(),
  from_account int not null,
  to_account int not null,
  -- this, and the rest after the amount, are set on the merchant's movements, which the statement shows
  merchant_id uuid,
  subject uuid,                                       -- the payin that a movement is about; a payout's is its entry's
  asset text not null,
  amount numeric not null check (amount > 0 and amount <> 'NaN' and amount <> 'Infinity'),
  movement text check (movement in ('DEPOSIT', 'WITHDRAWAL', 'RATE', 'FEE', 'WITHDRAWAL_REFUND', 'DEPOSIT_REVERSAL')),
  balance_after numeric(38,8),
  network text,
  types text,                                         -- of all movements of the entry, on the first: 'WITHDRAWAL RATE FEE'
  panel boolean,                                      -- true on movements of what was made in the panel: the API shows none
  check (from_account <> to_account),
  check (movement is null or (amount = trunc(amount, 8) and merchant_id is not null and balance_after is not null)),
  -- Movements come first in their entry; filtered lists find all of them by the first, and count them so.
  check ((types is not null) = (movement is not null and id & 15 = 1))
);
create index postings_statement on postings (merchant_id, created_at desc) where movement is not null;
-- The statement filters by reference: payouts through their entries, payins through the first movement of each of theirs.
create index postings_subject on postings (subject) where subject is not null and types is not null;

create trigger accounts_append_only before update or delete or truncate on accounts
  for each statement execute function append_only();
create trigger entries_append_only before update or delete or truncate on entries
  for each statement execute function append_only();
create trigger postings_append_only before update or delete or truncate on postings
  for each statement execute function append_only();

-- post and record_payouts are what every payout waits for, and are written for one index each
-- (docs/decisions/0023-statements-that-one-index-answers.md).

-- A posting with what it does to its merchant's balance.
create type move as (
  id bigint, from_account int, to_account int, asset text, amount numeric,
  merchant_id uuid, available numeric, locked numeric, movement text, subject uuid, network text, types text, panel boolean);

-- open_accounts makes those of the accounts that are not there.
create function open_accounts(names text[]) returns void language sql as $$
  insert into accounts (name, merchant_id, pocket)
  select distinct n.name,
         case when n.name like 'merchant:%' then split_part(n.name, ':', 2)::uuid end,
         case when n.name like 'merchant:%' then split_part(n.name, ':', 3) end
  from unnest(names) as n(name)
  where not exists (select from accounts o where o.name = n.name)
  order by 1
  on conflict (name) do nothing;
$$;

-- post writes entries once per reference and moves the merchants' balances, whose rows it locks in order. Each entry is at
-- one place of the first four lists, each posting at one of the others: in_entry says of which entry, from 1, and place which
-- one of it, from 1 too. What is no movement has '' for one, and types is '' but at the first posting of an entry. Panels says which
-- entries are of something made in the panel; without it, none is.
-- It answers how many entries were new. An entry that is there already is left alone; with another digest
-- it is an error. A posting is between one merchant's pockets and anything else, never between two merchants.
create function post(subjects uuid[], kinds entry_kind[], turns int[], digests bytea[], in_entry int[], place int[],
                     from_names text[], to_names text[], assets text[], amounts numeric[], movements text[], abouts uuid[], networks text[],
                     types text[], panels boolean[] default null)
returns int language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_material = off as $$
declare
  ids bigint[];                                       -- of the entries in the order given; null where it was there
  moves move[];
  written int;
  moment timestamptz;
begin
  perform pg_current_xact_id();                       -- first an id for the transaction, then numbers for its entries
  ids := array(select nextval('entries_id_seq') from generate_series(1, cardinality(subjects)));
  insert into entries (id, subject, kind, turn, digest) overriding system value
  select ids[e.ord], e.subject, e.kind, e.turn, e.digest
  from unnest(subjects, kinds, turns, digests) with ordinality as e(subject, kind, turn, digest, ord)
  on conflict (subject, kind, turn) do nothing;
  get diagnostics written = row_count;
  if written < cardinality(ids) then
    if exists (select from unnest(subjects, kinds, turns, digests) as e(subject, kind, turn, digest)
               join entries o on o.subject = e.subject and o.kind = e.kind and o.turn = e.turn where o.digest <> e.digest) then
      raise exception 'a posted reference came back with other postings' using errcode = 'integrity_constraint_violation';
    end if;
    if written = 0 then return 0; end if;
    ids := array(select o.id from unnest(ids) with ordinality as i(id, ord) left join entries o on o.id = i.id order by i.ord);
  end if;

  loop
    moves := array(
      select (ids[p.in_entry] * 16 + p.place, f.id, t.id, p.asset, p.amount, coalesce(f.merchant_id, t.merchant_id),
              (t.pocket is not distinct from 'available')::int * p.amount - (f.pocket is not distinct from 'available')::int * p.amount,
              (t.pocket is not distinct from 'locked')::int * p.amount - (f.pocket is not distinct from 'locked')::int * p.amount,
              nullif(p.movement, ''), nullif(p.about, subjects[p.in_entry]), p.network, nullif(p.types, ''),
              case when p.movement <> '' then nullif(panels[p.in_entry], false) end)::move
      from unnest(in_entry, place, from_names, to_names, assets, amounts, movements, abouts, networks, types)
           with ordinality as p(in_entry, place, from_name, to_name, asset, amount, movement, about, network, types, ord)
      left join accounts f on f.name = p.from_name
      left join accounts t on t.name = p.to_name
      where ids[p.in_entry] is not null
      order by p.ord);
    exit when not exists (select from unnest(moves) m where m.from_account is null or m.to_account is null);
    perform open_accounts(from_names || to_names);
  end loop;

  insert into balances (merchant_id, asset)
  select distinct m.merchant_id, m.asset from unnest(moves) m
  where m.merchant_id is not null
    and not exists (select from balances b where b.merchant_id = m.merchant_id and b.asset = m.asset)
  order by 1, 2
  on conflict do nothing;

  perform from (select distinct m.merchant_id, m.asset from unnest(moves) m where m.merchant_id is not null order by 1, 2) w,
    lateral (select from balances b where b.merchant_id = w.merchant_id and b.asset = w.asset for update) b;
  moment := clock_timestamp();                        -- and not now(): balances may have been waited for, and statements, which
                                                      -- go by time, are to follow them
  insert into postings (id, created_at, from_account, to_account, asset, amount, merchant_id, subject, movement, balance_after, network, types, panel)
  select m.id, moment, m.from_account, m.to_account, m.asset, m.amount,
         case when m.movement is not null then m.merchant_id end, case when m.movement is not null then m.subject end, m.movement,
         case when m.movement is not null then b.available + b.locked
           + sum(m.available + m.locked) over (partition by m.merchant_id, m.asset order by m.ordinality) end,
         case when m.movement is not null then m.network end, m.types, m.panel
  from unnest(moves) with ordinality as m
  left join balances b on b.merchant_id = m.merchant_id and b.asset = m.asset
  order by m.ordinality;

  update balances b
  set available = b.available + d.available, locked = b.locked + d.locked
  from (select d.available, d.locked, b.at from (
            select m.merchant_id, m.asset, sum(m.available) as available, sum(m.locked) as locked
            from unnest(moves) m where m.merchant_id is not null group by 1, 2) d,
          lateral (select b.ctid as at from balances b where b.merchant_id = d.merchant_id and b.asset = d.asset offset 0) b) d
  where b.ctid = d.at;
  return written;
end $$;

-- open_daily_spend locks the counters of keys for a day, in the order of the keys, and answers what each has spent, by key.
-- A counter that cannot be written, or that somebody else holds for seconds, is left out: each is tried in a block of its
-- own, so that nothing else fails with it.
create function open_daily_spend(keys text[], today date) returns jsonb language plpgsql as $$
declare
  patience text := current_setting('lock_timeout');
  counters jsonb := '{}';
  k text;
  spent numeric;
begin
  perform set_config('lock_timeout', '2s', true);
  foreach k in array keys loop
    begin
      insert into daily_spend (key_id, day, usd) values (k, today, 0) on conflict do nothing;
      update daily_spend d set usd = d.usd where d.key_id = k and d.day = today returning d.usd into strict spent;
      counters := counters || jsonb_build_object(k, spent);
    exception
      when serialization_failure or deadlock_detected then raise;
      when lock_not_available then perform set_config('lock_timeout', '20ms', true); -- so that many do not add up
      when others then null;
    end;
  end loop;
  perform set_config('lock_timeout', patience, true);
  return counters;
end $$;

-- A payout to be recorded: its columns, the digest of the entry that holds its debit (ledger.PayoutHeld), and, when its key
-- has a daily limit, that and what the payout is worth.
create type payout_item as (
  id uuid, merchant_id uuid, key_id text, reference_id text, wallet text, memo text, token text, asset text, network text,
  process_by text, amount numeric, debit numeric, rate_fee numeric, network_fee numeric, pays_network_fee boolean,
  fee_from_amount boolean, percent_rate numeric, fiat_currency text, fiat_amount numeric, price numeric, customer_info text,
  webhook_url text, seal bytea, digest bytea, daily_limit numeric, usd numeric);

-- record_payouts decides each item on its own, in the order given, and writes the accepted ones with their entries and jobs.
-- Outcomes: created, insufficient_balance, daily_payout_limit_unavailable (the key's spending cannot be written down),
-- daily_payout_limit_exceeded, duplicate.
-- A rehearsal decides the same by what is committed now, locks nothing and writes nothing: a read-only transaction may ask for it.
create function record_payouts(items payout_item[], rehearsal boolean default false)
returns table (ord int, outcome text, available numeric, original_id uuid, original_status text, original_created_at timestamptz)
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_material = off as $$
declare
  limited boolean := exists (select from unnest(items) x where x.daily_limit is not null);
  today date := (now() at time zone 'UTC')::date;
  day_usd jsonb;                                      -- by key, of those whose spending can be written down
  spent numeric;                                      -- of that, the item's key's
  one_by_one boolean := limited or rehearsal;         -- not all at once
  it record;
  left_over numeric[];                                -- by dense number of (merchant, asset): what is left of it,
  in_hold numeric[];                                  -- what is locked of it, and where its row is, which this transaction
  purse_at tid[];                                     -- holds; both null where there was none
  purse_account int[];                                -- its merchant's, null where that is not there yet
  accepted int[] := '{}';
  wanted payout_item[] := items;                      -- the accepted
  purse_of int[];                                     -- of each accepted: the number of its balance,
  left_for numeric[];                                 -- what was left of it before the item,
  entry_ids bigint[];                                 -- and the number of its entry
  held int;
  moment timestamptz;
begin
  -- Balances are read by the statement that locks them, and nowhere else: a first credit that comes after it is not there yet.
  if rehearsal then
    select array_agg(coalesce(b.available, 0) order by w.merchant_id, w.asset), array_agg(b.locked order by w.merchant_id, w.asset)
      into left_over, in_hold
      from (select distinct x.merchant_id, x.asset from unnest(items) x) w
      left join balances b on b.merchant_id = w.merchant_id and b.asset = w.asset;
  else
    select array_agg(coalesce(b.available, 0) order by w.merchant_id, w.asset), array_agg(b.locked order by w.merchant_id, w.asset),
           array_agg(b.at order by w.merchant_id, w.asset),
           array_agg((select a.id from accounts a where a.name = 'merchant:' || w.merchant_id || ':available') order by w.merchant_id, w.asset),
           (select a.id from accounts a where a.name = 'payouts:held')
      into left_over, in_hold, purse_at, purse_account, held
      from (select distinct x.merchant_id, x.asset from unnest(items) x order by 1, 2) w
      left join lateral (select b.available, b.locked, b.ctid as at from balances b
                         where b.merchant_id = w.merchant_id and b.asset = w.asset for update) b on true;
  end if;
  moment := clock_timestamp();                        -- see post

  if limited and rehearsal then
    day_usd := (select jsonb_object_agg(k.key_id, coalesce(d.usd, 0))
                from (select distinct x.key_id from unnest(items) x where x.daily_limit is not null) k
                left join daily_spend d on d.key_id = k.key_id and d.day = today);
  elsif limited then
    day_usd := open_daily_spend(array(select distinct x.key_id from unnest(items) x where x.daily_limit is not null order by 1), today);
  end if;

  -- Two rounds at most. If no item has a daily limit and each balance covers its items, all are created, and only the insert
  -- meets references. If one is taken, the insert is undone, and the second round looks references up and decides item by
  -- item. Rehearsals, and calls with a limit or too little money, do that at once.
  loop
    if not one_by_one then
      select array_agg(x.purse order by x.ord), array_agg(left_over[x.purse] - x.so_far + x.debit order by x.ord),
             not bool_and(x.so_far <= left_over[x.purse])
        into purse_of, left_for, one_by_one
        from (select i.ordinality as ord, i.debit, sum(i.debit) over (partition by i.merchant_id, i.asset order by i.ordinality) as so_far,
                     dense_rank() over (order by i.merchant_id, i.asset)::int as purse
              from unnest(items) with ordinality as i) x;
    end if;
    if one_by_one then
      purse_of := '{}'; left_for := '{}';
      for it in
        select x.ordinality::int - 1 as ord, x.merchant_id, x.asset, x.debit, x.daily_limit, x.usd,
               dense_rank() over (order by x.merchant_id, x.asset)::int as purse, x.key_id,
               o.id as original_id, o.wire_status as original_status, o.created_at as original_created_at
        from unnest(items) with ordinality as x
        left join lateral (                           -- in the order of the unique index: whatever the statistics say, no
          select * from payouts y                     -- other index answers that, and each item costs one look-up
          where (y.merchant_id, y.reference_id) >= (x.merchant_id, x.reference_id) order by y.merchant_id, y.reference_id limit 1
        ) o on (o.merchant_id, o.reference_id) = (x.merchant_id, x.reference_id)
        order by x.ordinality
      loop
        ord := it.ord;
        original_id := null; original_status := null; original_created_at := null;
        spent := day_usd->>it.key_id;
        available := left_over[it.purse];
        if it.debit > left_over[it.purse] then
          outcome := 'insufficient_balance';
        elsif it.daily_limit is not null and spent is null then
          outcome := 'daily_payout_limit_unavailable';
        elsif it.daily_limit is not null and spent + it.usd > it.daily_limit then
          outcome := 'daily_payout_limit_exceeded';
        elsif it.original_id is not null then
          outcome := 'duplicate';
          original_id := it.original_id; original_status := it.original_status; original_created_at := it.original_created_at;
        else
          outcome := 'created';
          accepted := accepted || it.ord;
          purse_of := purse_of || it.purse;
          left_for := left_for || left_over[it.purse];
          left_over[it.purse] := left_over[it.purse] - it.debit;
          if it.daily_limit is not null then day_usd := day_usd || jsonb_build_object(it.key_id, spent + it.usd); end if;
        end if;
        return next;
      end loop;
      if rehearsal or cardinality(accepted) = 0 then return; end if;
      if cardinality(accepted) < cardinality(items) then
        wanted := array(select i.item from (select unnest(items) as item, generate_series(0, cardinality(items) - 1) as ord) i
                        where i.ord = any(accepted) order by i.ord);
      end if;
    end if;

    begin
      insert into payouts (id, merchant_id, key_id, reference_id, wallet, memo, token, asset, network, process_by, amount, debit, rate_fee,
                           network_fee, pays_network_fee, fee_from_amount, percent_rate, fiat_currency, fiat_amount, price, customer_info, webhook_url, seal, status)
      select p.id, p.merchant_id, p.key_id, p.reference_id, p.wallet, p.memo, p.token, p.asset, p.network, p.process_by, p.amount, p.debit, p.rate_fee,
             p.network_fee, p.pays_network_fee, p.fee_from_amount, p.percent_rate, p.fiat_currency, p.fiat_amount, p.price, p.customer_info, p.webhook_url, coalesce(p.seal, ''), 'queued'
      from unnest(wanted) p;
      exit;
    exception when unique_violation then
      if one_by_one then raise; end if;               -- taken after the look, or twice in this call: for the caller to try again
      one_by_one := true;
    end;
  end loop;
  if not one_by_one then
    return query select l.ord::int - 1, 'created', l.available, null::uuid, null::text, null::timestamptz
                 from unnest(left_for) with ordinality as l(available, ord);
  end if;

  insert into jobs (kind, ref, run_at)
  select 'payout.broadcast', p.id, now() + interval '1 second' from unnest(wanted) p;

  if limited then
    update daily_spend d set usd = d.usd + s.usd
    from (select p.key_id, sum(p.usd) as usd from unnest(wanted) p where p.daily_limit is not null group by 1) s
    where d.key_id = s.key_id and d.day = today;
  end if;

  -- The hold, as post would write it. That it is ledger.PayoutHeld's is what the digest says, and reconciliation compares.
  if held is null or array_position(purse_account, null) is not null then
    perform open_accounts(array(select 'merchant:' || p.merchant_id || ':available' from unnest(wanted) p) || text 'payouts:held');
    select array_agg(a.id order by w.merchant_id, w.asset), (select a.id from accounts a where a.name = 'payouts:held')
      into purse_account, held
      from (select distinct x.merchant_id, x.asset from unnest(items) x) w
      left join accounts a on a.name = 'merchant:' || w.merchant_id || ':available';
  end if;
  entry_ids := array(select nextval('entries_id_seq') from generate_series(1, cardinality(wanted)));
  insert into entries (id, subject, kind, turn, digest) overriding system value
  select entry_ids[p.ordinality], p.id, 'payout_held', 0, p.digest from unnest(wanted) with ordinality as p;
  insert into postings (id, created_at, from_account, to_account, merchant_id, asset, amount, movement, balance_after, network, types, panel)
  select entry_ids[p.ordinality] * 16 + m.line, moment, purse_account[purse_of[p.ordinality]], held, p.merchant_id, p.asset, m.amount, m.movement,
         left_for[p.ordinality] + in_hold[purse_of[p.ordinality]] - m.so_far, p.network,
         case m.line when 1 then 'WITHDRAWAL' || case when p.rate_fee > 0 then ' RATE' else '' end
           || case when p.pays_network_fee and p.network_fee > 0 then ' FEE' else '' end end,
         case when p.key_id like 'panel:%' then true end
  from unnest(wanted) with ordinality as p,
    lateral (values (1, 'WITHDRAWAL', p.amount, p.amount), (2, 'RATE', p.rate_fee, p.amount + p.rate_fee),
                    (3, 'FEE', case when p.pays_network_fee then p.network_fee end, p.debit)) as m(line, movement, amount, so_far)
  where m.amount > 0;
  update balances b set available = b.available - d.debit
  from (select purse_at[purse_of[p.ordinality]] as at, sum(p.debit) as debit from unnest(wanted) with ordinality as p group by 1) d
  where b.ctid = d.at;
end $$;
