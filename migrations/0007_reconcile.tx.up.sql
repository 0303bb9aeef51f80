-- Continuous reconciliation: what it remembers, so that its cost is that of what is new, and what it stops
-- (docs/decisions/0010-reconcile-by-roll-up.md). At the end: hot wallets that are stopped, and what left them unknown to our books.

-- What reconciliation found last.
create table reconcile_reports (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  differences jsonb not null
);

-- How far comparing each network with the books has come: a look that takes long goes on in the next job, at its height.
create table reconcile_looks (
  network text primary key,
  found jsonb not null,                               -- by the last whole look
  corrected jsonb not null default '{}',              -- treasury_corrections and spend_decisions that its books had
  unreached text not null,                            -- why the newest try came to nothing
  going jsonb,                                        -- the look that goes on
  since timestamptz not null default now(),
  looked_at timestamptz,                              -- when the last whole look ended
  next_at timestamptz,                                -- slow networks are looked at rarely
  walk jsonb not null default '{}',                   -- the round through the addresses at which nothing was seen
  walk_at timestamptz,                                -- when the next round may begin
  held_at timestamptz,                                -- when the last whole look began: address_holdings knows what came before
  turn text not null default '',                      -- the last address of long ago that was asked about
  coin_below uuid                                     -- the last open payin that was asked about for coin; null: the newest are next
);

-- What each used address but the hot wallet held when it was last asked about. Addresses of long ago are asked about in turn, a few in
-- a look; of the others a look takes this.
create table address_holdings (
  network text not null,
  address text not null,                              -- in the spelling of transfers
  asset text not null,
  amount numeric not null,
  primary key (network, address, asset)
);

-- What our addresses held by the last whole look at each network: the hot wallet, and all other used addresses together.
create table wallet_holdings (
  network text not null references reconcile_looks on delete cascade,
  asset text not null,
  kind text not null check (kind in ('hot', 'deposits', 'cold', 'staked')), -- what is staked is a part of the hot wallet's
  amount numeric not null,
  address text not null default '',                   -- of the hot wallet, as people write it
  height bigint not null,                             -- of the look
  seen_at timestamptz not null,                       -- when the look began
  primary key (network, asset, kind)
);

-- What payouts took from hot wallets in each hour of the last week, network costs included. The first hour of a network and asset
-- stays, however long ago it was.
create table wallet_paid (
  network text not null,
  asset text not null,
  hour timestamptz not null,
  amount numeric not null,
  primary key (network, asset, hour)
);

-- Entries up to this one are in wallet_paid.
create table wallet_paid_upto (entry_id bigint not null);
insert into wallet_paid_upto values (0);

-- What operators have corrected of each asset on a network, together. The row is locked by who does.
create table treasury_corrections (
  network text not null,
  asset text not null,
  amount numeric not null,
  taken numeric not null default 0,                   -- of a surplus: the corrections above zero alone, together
  primary key (network, asset)
);

-- The most that each network has held beyond the books, with what operators have taken of that. A surplus below it has lost
-- something. A look tells of a block that may vanish, so its figure counts only once the block is final.
create table open_surpluses (
  network text not null,
  asset text not null,
  known numeric not null default 0,
  seen numeric not null default 0,                    -- by a look at the block below, which is not final yet
  height bigint not null default 0,
  hash text not null default '',                      -- empty: no look waits
  primary key (network, asset)
);

-- How many times operators have decided on what left the hot wallet of a network. The row is locked by who decides, and by who
-- corrects: nothing is corrected by a look whose books do not have the last decision.
create table spend_decisions (
  network text primary key,
  times bigint not null
);

-- Money found at addresses at which nothing was seen, or less. What the network holds there counts when it is compared with the books.
create table quiet_holdings (
  network text not null,
  address text not null,                              -- in the spelling of transfers
  asset text not null,
  owner text not null default '',                     -- for people: the payin or fixed wallet that has the address
  found_at timestamptz not null default now(),
  primary key (network, address, asset)
);

-- Payouts of an asset that is named here are not signed on that network until an operator resumes it.
create table stopped_assets (
  asset text not null,
  network text not null default '',                   -- empty: on every network
  reason text not null,
  at timestamptz not null default now(),
  primary key (asset, network)
);

-- A pass adds up the postings of all entries in the order of their ids. The live one is asked; the other one, when there
-- is one, counts everything again and then takes its place.
create table ledger_passes (
  pass int primary key check (pass in (0, 1)),
  live boolean not null default false,
  folded bigint not null default 0,                   -- entries up to this one are in account_sums
  ripe bigint not null default 0,                     -- up to here no transaction can still add an entry
  marked bigint not null default 0,                   -- ripe as soon as every transaction before marked_xid has ended
  marked_xid xid8 not null default '0',
  touched text not null,                              -- ledger_touched() when the pass began
  recount boolean not null default false,             -- everything is to be counted again
  began_at timestamptz not null default now()
);
insert into ledger_passes (pass, live, touched) values (0, true, '');

create table account_sums (
  pass int not null,
  account int not null references accounts,
  asset text not null,
  amount numeric not null,
  primary key (pass, account, asset)
) with (fillfactor = 70);

-- Entries that are not what was written: found when they are folded, kept until they are folded again.
create table broken_entries (
  entry_id bigint primary key,
  reference text not null,
  asset text not null,
  want text not null,
  got text not null
);

-- An entry's number is taken by a transaction that has an id already: whoever took a number up to a mark is older than
-- the mark's id, and when all of those have ended, nothing can be added below it.
create function have_transaction_id() returns trigger language plpgsql as $$
begin
  perform pg_current_xact_id();
  return null;
end $$;
create trigger entries_numbered before insert on entries for each statement execute function have_transaction_id();

-- Nothing can be added to an entry once no transaction can still add one: it may be in the sums.
create function refuse_late_postings() returns trigger language plpgsql as $$
begin
  if exists (select from added where id < (select (max(ripe) + 1) * 16 from ledger_passes)) then
    raise exception 'a posting came to an entry that was written before' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create trigger postings_in_time after insert on postings referencing new table as added
  for each statement execute function refuse_late_postings();

-- ledger_touched says what the server has counted of changes that must never be: any updated or deleted row, a table that
-- was emptied, and a restart, after which the counts are gone.
create function ledger_touched() returns text language sql stable as $$
  select coalesce(string_agg(concat_ws(':', s.relname, s.n_tup_upd, s.n_tup_del, c.relfilenode), ' ' order by s.relname), '')
         || ' ' || pg_postmaster_start_time()
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where s.relid in ('entries'::regclass, 'postings'::regclass);
$$;

-- fold_entries adds entries in (after, upto] to the sums of a pass, and looks whether each is what was written: its
-- postings give its digest, its movements are those that the first of them names and are of one merchant, asset and network, and money
-- from outside is a transfer that was seen, coin that came beside one, or a cost that was booked before
-- and that a reorganisation has undone.
create function fold_entries(pass_in int, after bigint, upto bigint) returns void language sql as $$
  delete from broken_entries where entry_id > after and entry_id <= upto;

  insert into account_sums as s (pass, account, asset, amount)
  select pass_in, account, asset, sum(delta)
  from (select from_account as account, asset, -amount as delta from postings where id >= (after + 1) * 16 and id < (upto + 1) * 16
        union all
        select to_account, asset, amount from postings where id >= (after + 1) * 16 and id < (upto + 1) * 16) moves
  group by account, asset
  on conflict (pass, account, asset) do update set amount = s.amount + excluded.amount;

  with written as (
    select p.id / 16 as entry_id, min(p.asset) as asset,
           string_agg(f.name || '>' || t.name || ' ' || p.asset || ' ' || p.amount || ' ' || coalesce(p.movement, '') || E'\n', '' order by p.id) as content,
           string_agg(p.movement, ' ' order by p.id) as movements, string_agg(p.types, ' ') as types,
           count(distinct (p.merchant_id, p.asset, p.network)) filter (where p.movement is not null) as lists,
           sum(p.amount) filter (where f.name like 'outside:%') as came,
           min(substr(f.name, 9)) filter (where f.name like 'outside:%') as came_from
    from postings p join accounts f on f.id = p.from_account join accounts t on t.id = p.to_account
    where p.id >= (after + 1) * 16 and p.id < (upto + 1) * 16
    group by p.id / 16),
  judged as (
    select coalesce(e.id, w.entry_id) as entry_id, concat_ws(' ', coalesce(e.kind::text, 'number ' || w.entry_id), e.subject, nullif(e.turn, 0)) as reference, coalesce(w.asset, '') as asset,
           case
             when e.id is null then array['an entry', 'postings without one']
             when e.digest <> substr(sha256(convert_to(coalesce(w.content, ''), 'UTF8')), 1, 15)
               then array['postings of digest ' || encode(e.digest, 'hex'), case when w.entry_id is null then 'none' else 'others' end]
             when w.types is distinct from w.movements or w.lists > 1
               then array['movements listed as ' || coalesce(w.movements, 'none'), coalesce(w.types, 'none')]
             when w.came is not null and e.kind not in ('treasury_opened', 'treasury_corrected') and not exists (
               select from transfers t where e.kind in ('payin_credited', 'treasury_funded', 'unclaimed_held')
               and t.id = e.subject and t.network = w.came_from and t.amount = w.came)
               and not (e.kind = 'beside_received' and exists (
                 select from asides a where a.subject = e.subject and a.network = w.came_from and a.amount = w.came))
               and not (e.kind in ('gas_spent', 'cost_taken') and exists (
                 select from entries b join postings q on q.id between b.id * 16 and b.id * 16 + 15 join accounts o on o.id = q.to_account
                 where b.subject = e.subject and b.kind = e.kind and b.turn = e.turn - 1
                 and o.name = 'outside:' || w.came_from and q.asset = w.asset and q.amount = w.came))
               then array['a transfer of ' || w.came || ' on ' || w.came_from, 'none']
           end as verdict
    from written w full join (select * from entries where id > after and id <= upto) e on e.id = w.entry_id)
  insert into broken_entries (entry_id, reference, asset, want, got)
  select entry_id, reference, asset, verdict[1], verdict[2] from judged where verdict is not null;
$$;

-- fold_ledger does the next piece of what there is to fold, at most so many entries, and answers how many are left. One
-- transaction folds at a time; another one has nothing to do meanwhile.
create function fold_ledger(most bigint) returns bigint language plpgsql as $$
declare
  here ledger_passes;                                 -- the live pass
  again ledger_passes;                                -- the one that counts again
  upto bigint;
  now_touched text := ledger_touched();
  newest bigint := (select case when is_called then last_value else 0 end from entries_id_seq);
begin
  if pg_current_xact_id_if_assigned() is not null then
    raise exception 'fold_ledger was called where something had been written' using errcode = 'active_sql_transaction';
  end if;
  select * into here from ledger_passes where live for update skip locked;
  if not found then return 0; end if;

  if here.marked > here.ripe and pg_snapshot_xmin(pg_current_snapshot()) >= here.marked_xid then
    here.ripe := here.marked;
  end if;
  if here.marked = here.ripe                          -- the number was read before this transaction had an id. No snapshot's
     or here.marked_xid > pg_current_xact_id() then   -- bounds would do: a transaction may be newer than all that have ended
    here.marked := greatest(here.ripe, newest);       -- (an id of the future is of the server that a backup was made on)
    here.marked_xid := pg_current_xact_id();
  end if;
  if here.touched = '' then
    here.touched := now_touched;
    here.began_at := now();
  end if;

  upto := least(here.ripe, here.folded + most);
  if upto > here.folded then
    perform fold_entries(here.pass, here.folded, upto);
    here.folded := upto;
  end if;
  update ledger_passes set folded = here.folded, ripe = here.ripe, marked = here.marked, marked_xid = here.marked_xid,
         recount = here.recount, touched = here.touched, began_at = here.began_at where pass = here.pass;
  if here.folded < here.ripe then return here.ripe - here.folded; end if;

  select * into again from ledger_passes where not live for update;
  if here.recount or coalesce(again.touched, here.touched) <> now_touched or again.pass is null and here.began_at < now() - interval '1 day' then
    update ledger_passes set recount = false where pass = here.pass;
    delete from account_sums where pass = 1 - here.pass;
    insert into ledger_passes (pass, touched) values (1 - here.pass, now_touched)
    on conflict (pass) do update set folded = 0, touched = excluded.touched, began_at = now()
    returning * into again;
  end if;
  if again.pass is null then return 0; end if;

  upto := least(here.folded, again.folded + most);
  perform fold_entries(again.pass, again.folded, upto);
  update ledger_passes set folded = upto where pass = again.pass;
  if upto < here.folded then return here.folded - upto; end if;

  delete from account_sums where pass = here.pass;    -- the new count takes the place of the old one
  delete from ledger_passes where pass = here.pass;
  update ledger_passes set live = true, ripe = here.ripe, marked = here.marked, marked_xid = here.marked_xid
  where pass = again.pass;
  return 0;
end $$;

-- A hot wallet of whose nonces the chain has used more than our books know: nothing is signed with it until an operator
-- has resumed it (docs/decisions/0011-restored-books.md).
create table stopped_wallets (
  network text not null,
  address text not null,
  ours bigint not null,                               -- the next nonce by our books; 0 when they know none
  chain bigint not null,                              -- by the chain, when it was last looked at
  at timestamptz not null default now(),
  broken_seal uuid,                                   -- a payout that is not as it was sealed, when that is why
  forgotten_at timestamptz,                           -- it is not the hot wallet any more: the stop holds, and nobody is told
  skipped_in text,                                    -- books_run() in which addresses were left out for this stop; null: none were yet
  primary key (network, address)
);

-- halt_network halts a network until a person resumes it. Who follows networks may halt one and not resume it, so this has the rights of the
-- owner.
create function halt_network(net text) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update followers set halted = true where network = net;
end $$;

-- What left a hot wallet, or a cold address, in a block by a transaction that our books do not know.
create table unknown_spends (
  network text not null,
  txid text not null,
  token text not null,
  position int not null,
  sender text not null default '',                    -- a cold address; empty: the hot wallet
  recipient text not null,                            -- in the spelling of Match
  memo text not null default '',
  amount numeric not null,
  height bigint not null,
  seen_at timestamptz not null default now(),
  decision text check (decision in ('paid', 'lost', 'ignored')),  -- null = nobody has decided; paid = payout_id was paid by it
  payout_id uuid references payouts,
  undone_at timestamptz,                                          -- since when it is in no block any more
  primary key (network, txid, token, position)
);
