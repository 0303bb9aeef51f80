-- Simulated chains (operator §Sandbox networks). An empty block is no row: its hash follows from the network, its height
-- and the newest fork that covers it. Whoever changes anything of a network first locks its row in sandbox_networks, and
-- several of them in the order of their names; the functions below expect it.
-- At the end: the inbox of dev, and whose books these are.

create table sandbox_networks (
  network text primary key,
  coin text not null,
  height bigint not null default 0,
  mined_at timestamptz not null default now(),
  forks bigint not null default 0,                    -- how many there ever were; the number is the salt of the newest
  payments bigint not null default 0,                 -- from the faucet by hand; the number makes their txids
  faults jsonb not null default '{}'
) with (fillfactor = 50);

-- The newest fork that covers a height is the one with the greatest first at or below it.
create table sandbox_forks (
  network text not null references sandbox_networks,
  first bigint not null,
  salt bigint not null,
  primary key (network, first)
);

create table sandbox_transactions (
  network text not null,                              -- whose row in sandbox_networks is locked: no foreign key looks again
  txid text not null,
  place int not null default 0,                       -- of the output in its transaction: one with several has a row for each
  seq bigint generated always as identity,            -- order within a block
  sender text not null, sender_match text not null,
  nonce bigint,                                       -- the number of its slot; null: from the faucet, which holds without end
  until bigint,                                       -- the last block that may have it; null: any
  coins text[],                                       -- the outputs it spends, on place 0; null: of its sender's balance
  recipient text not null, recipient_match text not null,
  memo text not null default '',
  token text not null,
  amount numeric not null check (amount >= 0 and amount <> 'NaN' and amount <> 'Infinity'),
  fee numeric not null default 0 check (fee >= 0 and fee <> 'NaN' and fee <> 'Infinity'), -- on place 0
  beside numeric not null default 0 check (beside >= 0), -- coin that comes along, from the faucet; no payment
  cost numeric not null default 0 check (cost >= 0 and cost <= beside), -- and what the network takes of that from the recipient
  state text not null check (state in ('pending', 'mined', 'dropped', 'replaced', 'rejected')),
  height bigint,
  mined_at timestamptz,
  primary key (network, txid, place),
  check ((state = 'mined') = (height is not null))
) with (fillfactor = 70);
-- Blocks by their height, and the mempool, which has none. No index but the primary key begins with the network alone: a
-- plan made while the table was small looks a txid up by nothing else.
create index sandbox_blocks on sandbox_transactions (network, height) where state in ('pending', 'mined');
-- A number excludes where neither time nor coins do.
create unique index sandbox_nonces on sandbox_transactions (network, sender_match, nonce)
where nonce is not null and state in ('pending', 'mined') and until is null and coins is null and place = 0;

-- Outputs spent by a transaction in the mempool or in a block. An output is called by its txid and place.
create table sandbox_spent (
  network text not null,
  coin text not null,
  txid text not null,
  primary key (network, coin)
);

-- What an address can spend: incoming counts once mined, outgoing as soon as it is in the mempool.
create table sandbox_holdings (
  network text not null references sandbox_networks,
  address text not null,                              -- in the spelling of Match
  token text not null,
  amount numeric not null,
  primary key (network, address, token)
) with (fillfactor = 50);

create function sandbox_add(network_in text, address_in text, token_in text, delta numeric) returns void language sql as $$
  insert into sandbox_holdings as h (network, address, token, amount) values (network_in, address_in, token_in, delta)
  on conflict (network, address, token) do update set amount = h.amount + excluded.amount;
$$;

-- What every payout or block needs of the functions below is written for one index
-- (docs/decisions/0023-statements-that-one-index-answers.md).

-- sandbox_coins answers where coins lie, and what they are. An output is called by its txid and place.
create function sandbox_coins(name text, ids text[]) returns table (id text, address text, token text, amount numeric, state text)
language plpgsql stable set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select c.coin, o.recipient_match, o.token, o.amount, o.state from unnest(ids) as c(coin), lateral (
    select o.* from sandbox_transactions o
    where o.network = name and o.txid = substring(c.coin from '^(.+):[0-9]{1,9}$') and o.place = substring(c.coin from ':([0-9]{1,9})$')::int limit 1) o;
end $$;

-- sandbox_give_up takes transactions out of the mempool. Their coins are free again, and their senders have the money back.
create function sandbox_give_up(rows tid[], becomes text) returns void language sql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with gone as (
    update sandbox_transactions set state = becomes where ctid = any(rows) and state = 'pending'
    returning network, place, sender_match, nonce, token, amount, fee, coins),
  freed as (
    delete from sandbox_spent s using gone g where s.network = g.network and s.coin = any(g.coins))
  insert into sandbox_holdings as h (network, address, token, amount)
  select g.network, g.sender_match, d.token, sum(d.amount)
  from gone g join sandbox_networks n using (network), lateral (values (g.token, g.amount), (n.coin, g.fee)) as d(token, amount)
  where g.nonce is not null and g.coins is null and g.place = 0 group by 1, 2, 3
  union all
  select g.network, c.address, c.token, sum(c.amount) from gone g, lateral sandbox_coins(g.network, g.coins) c where g.coins is not null group by 1, 2, 3
  on conflict (network, address, token) do update set amount = h.amount + excluded.amount;
$$;

-- sandbox_mine adds blocks to locked networks; the first one takes the mempool, but for what is over by then.
create function sandbox_mine(names text[], blocks bigint) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  at timestamptz := clock_timestamp();                -- and not now(): the locks may have been waited for
  mempool tid[];                                      -- where its rows are, which only the locks' owner changes
  over tid[];
begin
  if cardinality(names) = 0 then return; end if;
  select array_agg(t.at) filter (where t.until is null or t.until > s.height), array_agg(t.at) filter (where t.until <= s.height) into mempool, over
  from unnest(names) as n(network),
    lateral (select s.height from sandbox_networks s where s.network = n.network offset 0) s,
    lateral (select t.ctid as at, t.until from sandbox_transactions t where t.network = n.network and t.height is null and t.state = 'pending' offset 0) t;
  if over is not null then perform sandbox_give_up(over, 'dropped'); end if;
  with grown as (
    update sandbox_networks set height = height + blocks, mined_at = at
    where network = any(names)
    returning network, height - blocks + 1 as first),
  moved as (
    update sandbox_transactions t set state = 'mined', height = (select g.first from grown g where g.network = t.network), mined_at = at
    where t.ctid = any(mempool)
    returning t.network, t.recipient_match, t.token, t.amount, t.beside - t.cost as along)
  insert into sandbox_holdings as h (network, address, token, amount)
  select network, recipient_match, token, sum(amount) from (
    select network, recipient_match, token, amount from moved
    union all
    select m.network, m.recipient_match, n.coin, m.along from moved m join sandbox_networks n using (network) where m.along <> 0) g group by 1, 2, 3
  on conflict (network, address, token) do update set amount = h.amount + excluded.amount;
end $$;

-- sandbox_status answers a network's height and faults, with each of the transactions that it knows, or none.
create function sandbox_status(name text, txids text[])
returns table (top bigint, broken jsonb, known text, stands text, mined bigint, cost text) language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  select n.height, n.faults, t.txid, t.state, t.height, t.fee::text
  from sandbox_networks n left join lateral (
    select t.* from unnest(txids) as w(txid),
      lateral (select * from sandbox_transactions t where t.network = name and t.txid = w.txid and t.place = 0 limit 1) t) t on true
  where n.network = name;
end $$;

-- sandbox_purses answers, for tokens, a network's faults, the token's decimals there (-1 when it has none), and what an address
-- holds of it and of the network's coin, with the nonce after all of the address that the network has taken, and the height.
create function sandbox_purses(name text, holder text, symbols text[])
returns table (wanted text, broken jsonb, digits int, held text, coins text, untaken bigint, top bigint) language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  select s.symbol, n.faults, coalesce(t.decimals, -1), coalesce(h.amount, 0)::text, coalesce(c.amount, 0)::text,
    coalesce((select x.nonce + 1 from sandbox_transactions x where x.network = name and x.sender_match = holder and x.nonce is not null
      and x.state in ('pending', 'mined') and x.until is null and x.coins is null and x.place = 0 order by x.nonce desc limit 1), 0), n.height
  from sandbox_networks n cross join unnest(symbols) as s(symbol)
  left join lateral (select t.decimals from tokens t where t.network = name and t.symbol = s.symbol offset 0) t on true
  left join lateral (select h.amount from sandbox_holdings h where h.network = name and h.address = holder and h.token = s.symbol offset 0) h on true
  left join lateral (select h.amount from sandbox_holdings h where h.network = name and h.address = holder and h.token = n.coin offset 0) c on true
  where n.network = name;
end $$;

-- sandbox_submit puts a transaction into the mempool, or rejects it for good when told so. It answers
-- sent, known (it is there already), rejected (never), replaced (another one has its nonce or a coin of it, for no lower fee), spent
-- (one in a block has it), short (of funds), over (its time is), missing (a coin of it is in no block) or taken (another
-- transaction had this txid).
create function sandbox_submit(tx jsonb, reject boolean) returns text language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  it sandbox_transactions;
  had sandbox_transactions;
  rival sandbox_transactions;
  native text;
  top bigint;
begin
  if jsonb_typeof(tx->'coins') = 'array' then return sandbox_spend(tx, reject); end if;
  it := jsonb_populate_record(null::sandbox_transactions, tx);
  select coin, height into strict native, top from sandbox_networks where network = it.network for update;
  select * into had from sandbox_transactions where network = it.network and txid = it.txid and place = 0;
  if had.state in ('pending', 'mined') then return 'known'; end if;
  if had.state = 'rejected' then return 'rejected'; end if;
  reject := reject and had.txid is null;              -- what was once taken was valid: no network rejects it for good
  if (had.recipient_match, had.memo, had.token, had.amount) <> (it.recipient_match, it.memo, it.token, it.amount) then
    return 'taken';
  end if;
  if it.until <= top then return 'over'; end if;

  it.state := 'pending';
  if it.nonce is not null and it.until is null then
    select * into rival from sandbox_transactions
    where network = it.network and sender_match = it.sender_match and nonce = it.nonce and state in ('pending', 'mined')
      and until is null and coins is null and place = 0;
    if rival.txid is not null and (rival.state = 'mined' or it.fee <= rival.fee) then
      if had.txid is not null then return case rival.state when 'mined' then 'spent' else 'replaced' end; end if;
      reject := true;
    end if;
  end if;
  if reject then
    it.state := 'rejected';
  elsif it.nonce is not null then
    if rival.txid is not null then
      perform sandbox_add(it.network, it.sender_match, rival.token, rival.amount);
      perform sandbox_add(it.network, it.sender_match, native, rival.fee);
    end if;
    perform sandbox_add(it.network, it.sender_match, it.token, -it.amount);
    perform sandbox_add(it.network, it.sender_match, native, -it.fee);
    if exists (select from sandbox_holdings where network = it.network and address = it.sender_match
               and token in (it.token, native) and amount < 0) then
      perform sandbox_add(it.network, it.sender_match, it.token, it.amount);
      perform sandbox_add(it.network, it.sender_match, native, it.fee);
      if rival.txid is not null then
        perform sandbox_add(it.network, it.sender_match, rival.token, -rival.amount);
        perform sandbox_add(it.network, it.sender_match, native, -rival.fee);
      end if;
      return 'short';
    end if;
    update sandbox_transactions set state = 'replaced' where network = rival.network and txid = rival.txid;
  end if;

  if had.txid is null then
    insert into sandbox_transactions (network, txid, sender, sender_match, nonce, until, recipient, recipient_match, memo, token, amount, fee, beside, cost, state)
    values (it.network, it.txid, it.sender, it.sender_match, it.nonce, it.until, it.recipient, it.recipient_match, it.memo, it.token, it.amount, it.fee,
      coalesce(it.beside, 0), coalesce(it.cost, 0), it.state);
  else
    update sandbox_transactions set state = it.state where network = it.network and txid = it.txid;
  end if;
  return case it.state when 'rejected' then 'rejected' else 'sent' end;
end $$;

-- sandbox_spend is sandbox_submit for a transaction of coins. Its outputs after the first are under "more", and where its coins lie
-- under "owners". The node takes coins in blocks alone, and as much as the outputs and the fee are. A conflict with the mempool replaces all of it there,
-- for a fee above theirs together.
create function sandbox_spend(tx jsonb, reject boolean) returns text language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  its sandbox_transactions[] := array(select jsonb_populate_record(null::sandbox_transactions, tx || o)
    from jsonb_array_elements('[{"place": 0}]' || coalesce(tx->'more', '[]')) with ordinality as g(o, n) order by n);
  it sandbox_transactions := its[1];
  had sandbox_transactions;
  native text;
  goes numeric := it.fee + (select sum(i.amount) from unnest(its) i);
  missing int;
  fits boolean;
  rivals text[];
  mined boolean;
  fees numeric;
begin
  select coin into strict native from sandbox_networks where network = it.network for update;
  select * into had from sandbox_transactions where network = it.network and txid = it.txid and place = 0;
  if had.state in ('pending', 'mined') then return 'known'; end if;
  if had.state = 'rejected' then return 'rejected'; end if;
  reject := reject and had.txid is null;
  if had.coins <> it.coins or had.txid is not null and had.coins is null then return 'taken'; end if;

  select count(*) filter (where o.id is null), coalesce(bool_and(o.address = c.owner and o.token = native) and sum(o.amount) = goes, false)
  into missing, fits
  from unnest(it.coins, array(select jsonb_array_elements_text(tx->'owners'))) as c(id, owner)
  left join sandbox_coins(it.network, it.coins) o on o.id = c.id and o.state = 'mined';
  select array_agg(r.txid), bool_or(r.state = 'mined'), sum(r.fee) into rivals, mined, fees
  from (select distinct s.txid from unnest(it.coins) as c(id), lateral (
      select s.txid from sandbox_spent s where s.network = it.network and s.coin = c.id offset 0) s) s, lateral (
    select r.txid, r.state, r.fee from sandbox_transactions r where r.network = it.network and r.txid = s.txid and r.place = 0 limit 1) r;
  if missing > 0 and not reject then return 'missing'; end if;
  reject := reject or not fits;
  if mined and not reject then return 'spent'; end if;
  if it.fee <= fees and not reject then return 'replaced'; end if;

  it.state := case when reject then 'rejected' else 'pending' end;
  if had.txid is null then
    insert into sandbox_transactions (network, txid, place, sender, sender_match, nonce, coins, recipient, recipient_match, memo, token, amount, fee, state)
    select i.network, i.txid, i.place, i.sender, i.sender_match, i.nonce, i.coins, i.recipient, i.recipient_match, i.memo, i.token, i.amount, i.fee, it.state
    from unnest(its) with ordinality as i order by i.ordinality;
  else
    update sandbox_transactions set state = it.state where network = it.network and txid = it.txid;
  end if;
  if reject then return 'rejected'; end if;
  perform sandbox_give_up(array(select t.ctid from sandbox_transactions t where t.network = it.network and t.txid = any(rivals)), 'replaced');
  insert into sandbox_spent (network, coin, txid) select it.network, c.id, it.txid from unnest(it.coins) as c(id);
  perform sandbox_add(it.network, c.address, c.token, -c.amount) from sandbox_coins(it.network, it.coins) c;
  return 'sent';
end $$;

-- sandbox_submit_all does with transactions of one network, of which each says whether to reject it, as sandbox_submit with
-- one after the other, and answers in their order. What is all new and can be paid for is written at once: that it is, the
-- keys and the holdings say.
create function sandbox_submit_all(txs jsonb) returns text[] language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  its sandbox_transactions[] := array(select jsonb_populate_record(null::sandbox_transactions, x) from jsonb_array_elements(txs) x);
  native text;
  top bigint;
  unpaid int;
begin
  select coin, height into strict native, top from sandbox_networks where network = its[1].network for update;
  if not txs @? '$[*] ? (@.reject == true || exists(@.coins))' and not exists (select from unnest(its) i where i.until <= top) then
    begin
      insert into sandbox_transactions (network, txid, sender, sender_match, nonce, until, recipient, recipient_match, memo, token, amount, fee, state)
      select i.network, i.txid, i.sender, i.sender_match, i.nonce, i.until, i.recipient, i.recipient_match, i.memo, i.token, i.amount, i.fee, 'pending'
      from unnest(its) with ordinality as i order by i.ordinality;
      with spent as materialized (
        select i.network, i.sender_match, d.token, sum(d.amount) as amount
        from unnest(its) i, lateral (values (i.token, i.amount), (native, i.fee)) as d(token, amount)
        where i.nonce is not null group by 1, 2, 3),
      paid as (
        update sandbox_holdings h set amount = h.amount - s.amount from (
          select s.amount, h.at from spent s, lateral (
            select h.ctid as at from sandbox_holdings h
            where h.network = s.network and h.address = s.sender_match and h.token = s.token and h.amount >= s.amount offset 0) h) s
        where h.ctid = s.at returning h.token)
      select (select count(*) from spent) - (select count(*) from paid) into unpaid;
      if unpaid = 0 then return array_fill('sent'::text, array[cardinality(its)]); end if;
      raise unique_violation;                         -- undo it, as what has a key already does
    exception when unique_violation then null;
    end;
  end if;
  return array(select sandbox_submit(x, (x->>'reject')::boolean) from jsonb_array_elements(txs) with ordinality as g(x, n) order by n);
end $$;

-- sandbox_reorg replaces the newest blocks of a locked network by one more. Transactions in drops vanish, from the
-- mempool too, and so do those that spend outputs of theirs, or more than their senders hold without them; the others are mined again.
create function sandbox_reorg(name text, depth bigint, drops text[]) returns void language plpgsql as $$
declare
  start bigint;
  native text;
  unpaid sandbox_transactions;
begin
  select height - depth + 1, coin into strict start, native from sandbox_networks where network = name;
  drops := array(
    with recursive gone as (
      select unnest(drops) as txid
      union
      select s.txid from gone g join sandbox_transactions o on o.network = name and o.txid = g.txid
      join sandbox_spent s on s.network = name and s.coin = o.txid || ':' || o.place)
    select txid from gone);
  delete from sandbox_spent s using sandbox_transactions t
  where t.network = name and t.txid = any(drops) and (t.height >= start or t.state = 'pending') and s.network = name and s.coin = any(t.coins);

  insert into sandbox_holdings as h (network, address, token, amount)
  select name, address, token, sum(delta)
  from (select recipient_match as address, token, -amount as delta from sandbox_transactions
        where network = name and height >= start
        union all
        select recipient_match, native, cost - beside from sandbox_transactions
        where network = name and height >= start and beside <> cost
        union all
        select t.sender_match, d.token, d.delta
        from sandbox_transactions t join sandbox_networks n using (network),
             lateral (values (t.token, t.amount), (n.coin, t.fee)) as d(token, delta)
        where t.network = name and t.txid = any(drops) and t.nonce is not null and t.coins is null and t.place = 0
          and (t.state = 'pending' or t.height >= start)
        union all
        select c.address, c.token, c.amount from sandbox_transactions t, lateral sandbox_coins(name, t.coins) c
        where t.network = name and t.txid = any(drops) and t.coins is not null and (t.state = 'pending' or t.height >= start)) moves
  group by address, token
  on conflict (network, address, token) do update set amount = h.amount + excluded.amount;

  update sandbox_transactions
  set state = case when txid = any(drops) then 'dropped' else 'pending' end, height = null, mined_at = null
  where network = name and (height >= start or state = 'pending' and txid = any(drops));

  delete from sandbox_forks where network = name and first >= start;
  update sandbox_networks set height = start - 1, forks = forks + 1 where network = name;
  insert into sandbox_forks (network, first, salt) select name, start, forks from sandbox_networks where network = name;
  perform sandbox_mine(array[name], depth + 1);
  loop
    select t.* into unpaid from sandbox_holdings h join sandbox_transactions t on t.network = h.network and t.sender_match = h.address and h.token in (t.token, native)
    where h.network = name and h.amount < 0 and t.nonce is not null and t.coins is null and (t.state = 'pending' or t.state = 'mined' and t.height >= start)
    order by t.seq desc limit 1;
    exit when not found;
    update sandbox_transactions set state = 'dropped', height = null, mined_at = null where network = name and txid = unpaid.txid;
    perform sandbox_add(name, unpaid.sender_match, unpaid.token, unpaid.amount);
    perform sandbox_add(name, unpaid.sender_match, native, unpaid.fee);
    if unpaid.state = 'mined' then perform sandbox_add(name, unpaid.recipient_match, unpaid.token, -unpaid.amount); end if;
  end loop;
end $$;

-- Webhooks that the inbox of dev received (operator §dev). They outlive a restart; only the newest few are kept.
create table inbox (
  id bigint generated always as identity primary key,
  name text not null,                                       -- the last part of the address it was sent to
  delivery text not null,                                   -- its id, the same on every attempt; empty when there was none
  headers jsonb not null,                                   -- name -> value
  body bytea not null,                                      -- as received, so that its signature can be checked again
  verified boolean not null,
  received_at timestamptz not null default clock_timestamp()
);
create index on inbox (name, id);

-- Whose books this database holds (docs/decisions/0019-sandbox-beside-live.md). It never changes. Without a row all networks
-- are simulated, for a trial.
create table books (
  one boolean primary key default true check (one),
  kind text not null check (kind in ('live', 'sandbox', 'dev')),
  since timestamptz not null default now()
);

-- Live books have no simulated network, also when a process that was started before they became live makes its own only now.
-- It locks with the rights of the owner: a lock of a table that others write asks for more than to write it.
create function no_sandbox_in_live_books() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  lock table books in share mode;                           -- who makes them live has a row there, and the networks deleted, in one commit
  if exists (select from books where kind = 'live') then
    raise exception 'live books have no simulated network';
  end if;
  return null;
end $$;
create trigger no_sandbox_in_live_books before insert on sandbox_networks
for each statement execute function no_sandbox_in_live_books();

-- forget_networks forgets that networks were followed and compared with the books, what was seen and decided there, and their jobs: those
-- first, as steps lock them. What came to the treasury stays, in no block: the ledger's check holds its entries against it. Nobody else may
-- delete most of this, so it is done with the rights of the owner, and only for the transaction that makes the books live.
create function forget_networks(names text[], of_kind text, refs uuid[]) returns void language plpgsql
security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from books where kind = 'live' and xmin = pg_current_xact_id()::xid) then
    raise exception 'networks are forgotten by who makes the books live alone' using errcode = 'insufficient_privilege';
  end if;
  delete from jobs where kind = of_kind and ref = any(refs);
  delete from transfers where network = any(names) and status <> 'treasury';
  update transfers set height = null where network = any(names);
  update asides set height = null where network = any(names);
  delete from followers where network = any(names);
  delete from chain_blocks where network = any(names);
  delete from reconcile_looks where network = any(names);
  delete from panel_book where network = any(names);
  delete from quiet_holdings where network = any(names);
  delete from address_holdings where network = any(names);
  delete from open_surpluses where network = any(names);
  delete from stopped_wallets where network = any(names);
  delete from stopped_assets where network = any(names);
  delete from signing_nonces where network = any(names);
  delete from coins where network = any(names);
  delete from foreign_spends where network = any(names);
  delete from unknown_spends where network = any(names);
  delete from capped_spend where network = any(names);
  delete from treasury_corrections where network = any(names);
  delete from spend_decisions where network = any(names);
  delete from treasury_rules where network = any(names);
  delete from treasury_moves where network = any(names);
  delete from cold_addresses where network = any(names);
  delete from moves_by_hand where network = any(names);
  delete from move_costs where network = any(names);
end $$;
