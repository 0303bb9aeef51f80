-- What signs payouts and records them as sent, for a group at a time, written for one index each
-- (docs/decisions/0023-statements-that-one-index-answers.md). Rows are locked in one order: transactions, payouts, jobs, as the
-- followers do. They are found by their keys when they are locked, and changed by where they are.

-- What was signed under caps of the signer, by the minute. The caps themselves are in its NETWORKS_FILE.
create table capped_spend (
  network text not null, token text not null, minute timestamptz not null, amount numeric not null,
  primary key (network, token, minute)
);

-- Payouts that the signer has turned away for a cap.
create table capped_payouts (
  payout_id uuid primary key,
  why text not null,
  at timestamptz not null default now()
);

-- count_capped counts an amount to be signed now, and answers those that were counted before, within an hour and a day. Minutes count whole. A
-- signer adds to the sums, and changes none otherwise: so this has the rights of the owner.
create function count_capped(net text, tok text, added numeric, out hour numeric, out day numeric)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if added is null or added < 0 or added >= 'Infinity' then
    raise exception 'no amount to be signed: %', added using errcode = 'invalid_parameter_value';
  end if;
  delete from capped_spend where network = net and token = tok and minute < now() - interval '25 hours';
  select coalesce(sum(amount) filter (where minute >= date_trunc('minute', now() - interval '1 hour')), 0), coalesce(sum(amount), 0) into hour, day
    from capped_spend where network = net and token = tok and minute >= date_trunc('minute', now() - interval '24 hours');
  insert into capped_spend as c (network, token, minute, amount) values (net, tok, date_trunc('minute', now()), added)
    on conflict (network, token, minute) do update set amount = c.amount + excluded.amount;
end $$;

-- payouts_over_limits answers why payouts to places wait for approval, for those that do: their merchant is suspended, they are above
-- a limit of it (payout_over_limit), two people approve them (payout_for_two), or they were above a limit with others
-- (payout_over_window), or the account owes (debts), and nobody has approved or stopped them. An approval is of the seal that was decided on. Windowed: a limit of an hour or a day is why. Counted: count_payouts has counted them.
create function payouts_over_limits(ids uuid[], places text[], counted boolean) returns table (id uuid, why text, windowed boolean)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if not exists (select from payout_limits) and not exists (select from merchants m where m.suspended)
    and not exists (select from debts d where d.owed > 0) and not exists (select from two_people) then return; end if;
  return query
  select o.id, coalesce(o.why, o.above, o.debt), o.why is null and o.above is not null from (
      select p.id, case when m.suspended then 'its merchant is suspended' else coalesce(payout_over_limit(p), payout_for_two(p)) end as why,
        coalesce((select a.why from payout_approvals a where a.payout_id = p.id and a.held and a.decision is null),
          payout_over_window(p, w.place, counted)) as above,
        (select 'its account owes ' || trim_scale(d.owed) || ' ' || d.asset from debts d
          where d.owed > 0 and d.merchant_id = p.merchant_id and d.asset = p.asset) as debt
      from unnest(ids, places) as w(id, place),
        lateral (select * from payouts p where p.id between w.id and w.id order by p.id limit 1) p,
        lateral (select m.suspended from merchants m where m.id = p.merchant_id) m
      where not p.cancelling
        and not exists (select from payout_approvals a where a.payout_id = p.id and a.decision = 'approved' and a.seal = p.seal) offset 0) o
  where coalesce(o.why, o.above, o.debt) is not null;
end $$;

-- payouts_unheld answers those of payouts whose debit the ledger does not hold: the entry of the hold is missing, or is of other
-- money than its digest says, or the subject has other entries. Ended is the kind of the end that there is to be; null: none.
create function payouts_unheld(ids uuid[], holds bytea[], ended entry_kind default null) returns setof uuid
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select w.id from unnest(ids, holds) as w(id, hold),
    lateral (select count(*) filter (where e.kind = 'payout_held' and e.turn = 0 and e.digest = w.hold) as held,
        count(*) filter (where e.kind = ended) as over, count(*) as known
      from (select e.kind, e.turn, e.digest from entries e where e.subject = w.id offset 0) e) e
  where e.held <> 1 or e.known <> 1 + (ended is not null)::int or ended is not null and e.over <> 1;
end $$;

-- books_sure says whether the books know all that was signed on a followed network whose chain keeps no count of it, or know it dead.
create function books_sure(f followers, kind text) returns boolean language sql stable as $$
  select f.run = books_run() and (f.clear_after is null or case kind when 'coins' then f.final else f.clock end > f.clear_after);
$$;

-- may_sign says whether something of assets may be signed with a hot wallet. Its network is followed and not halted, neither the wallet
-- nor an asset is stopped, and the wallet has sent nothing unknown to the books. Where a chain keeps no count of a wallet's transactions,
-- the books are sure of what was signed before.
create function may_sign(net text, hot text, assets text[], kind text) returns boolean language sql stable as $$
  select not exists (select from stopped_wallets s where s.network = net and s.address = may_sign.hot)
    and not exists (select from stopped_assets s where s.asset = any(assets) and s.network in ('', net))
    and not exists (select from foreign_spends s where s.network = net and s.address = may_sign.hot and s.resumed_at is null)
    and exists (select from followers f where f.network = net and f.followed_from is not null and not f.halted and (kind = 'number' or books_sure(f, kind)));
$$;

-- spendable_coins answers the coins of a hot wallet that may be spent and are leased to no slot. A coin may be spent when its block is
-- final, at a deposit address too. A mixed coin never is. Change of our own may be spent before, if nothing else was signed for the slot of its transaction: else a reorganisation might
-- mine the other one, and the change would be gone for good.
create function spendable_coins(net text, hot text) returns setof coins language sql stable as $$
  select c.* from coins c, followers f
    where c.network = net and c.address = hot and c.slot is null and c.spent_by is null and not c.mixed and f.network = net
      and (c.height <= f.final or c.own and c.height is not null and exists (
        select from signed_transactions t where t.network = net and t.txid = split_part(c.id, ':', 1) and t.place = 0 and not exists (
          select from signed_transactions o where o.payout_id = t.payout_id and o.txid <> t.txid) offset 0)); -- asked for each such coin, not hashed of all that was signed
$$;

-- free_coins answers spendable coins of a hot wallet, the largest first: so many that lie at the wallet itself, and so many that lie at
-- deposit addresses.
create function free_coins(net text, hot text) returns setof coins language plpgsql stable set enable_seqscan = off as $$
begin
  return query select c.* from (
    (select c.* from spendable_coins(net, hot) c where c.deposit is null order by c.amount desc, c.id limit 500)
    union all
    (select c.* from spendable_coins(net, hot) c where c.deposit is not null order by c.amount desc, c.id limit 500)) c order by c.amount desc, c.id;
end $$;

-- begin_signing moves payouts of one network to signed, and hands out the next slots of the hot wallet, whose row is locked until
-- the transaction ends: their numbers have neither gaps nor doubles. Kind is the exclusion of the network: number, coins or expiry.
-- Every row has a word:
--
--   word      when                                                                                     what else is in the row
--   moved     a payout is no longer in the status that is given for it, or is to be stopped
--   unheld    the ledger does not hold what a payout was debited (payouts_unheld)                      why: its id
--   signed    something was signed for a payout already: its status was changed by hand                why: its id
--   stopped   the wallet or an asset is stopped, the network is halted or was never followed (its
--             first step books what the hot wallet held), the wallet's slots are not opened, it has sent
--             something unknown to the books, or time has to pass before the books are sure of all of it
--   above     a payout waits for approval                                                              why
--   unconfirmed  a payout waits for a second person of its merchant
--   doubtful  before ready: a spend of the wallet that the books do not know, and nobody has decided on    of_token, promised: its amount;
--                                                                                                      why: recipient, txid, memo
--   ready     else                                                                                     first: number of the first slot
--   coin      after ready, where the kind is coins: a free coin, the largest first                     why: its id, and its deposit address;
--                                                                                                      first: the index of this; of_token, promised: its amount
--   promised  after ready, one or more for a token, where the kind is another                          of_token, promised, fees
--   again     last, after ready: it cannot be told what the chain has deducted
--
-- All but doubtful, ready, coin and promised are for the caller to roll back.
--
-- Without payouts it hands out slots for moves of the treasury, whose assets are named alone.
--
-- Promised is what payouts and moves before these take from the wallet and the balance that the caller has read does not show. There are
-- three ways to count it:
--   1. counted is given: the balance shows all transactions before this nonce. Promised is all from it on, with the most that its
--      fees can be. Each nonce from it on must be open where the kind is number, or the answer is again.
--   2. counted is null: the balance shows all that was sent, if its nonce is below untaken. Promised is what is signed and not
--      sent. No index tells the signed from the sent, so it is looked for among what is open from unsent_from on, which moves up
--      with it.
--   3. counted is null, and some nonces from untaken on were handed out: what was sent with those is promised too.
create function begin_signing(net text, hot text, ids uuid[], statuses text[], assets text[], counted bigint, untaken bigint, holds bytea[],
                              places text[], slots int, kind text)
returns table (outcome text, why text, first bigint, of_token text, promised numeric, fees numeric)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  mine tid[];
  moved int;
  since bigint;                                       -- the wallet's unsent_from,
  lowest bigint;                                      -- of a token,
  upto bigint;                                        -- and of all: what comes before is sent
  these bigint;                                       -- how many nonces have something open, of a token,
  known bigint := 0;                                  -- and of all
begin
  mine := array(select p.ctid from (select * from unnest(ids, statuses) as m(id, status) order by m.id) m,
    lateral (select p.ctid from payouts p where p.status = m.status and p.id between m.id and m.id and not p.cancelling
      order by p.id limit 1 for update) p);
  update payouts p set status = 'signed', updated_at = now() where p.ctid = any(mine);
  get diagnostics moved = row_count;                  -- and not how many were found: one that is named twice would get two nonces
  if moved <> cardinality(ids) then
    outcome := 'moved'; return next; return;
  end if;

  select u.id::text into why from payouts_unheld(ids, holds) as u(id) limit 1;
  if found then
    outcome := 'unheld'; return next; return;
  end if;

  select w.id::text into why from unnest(ids) as w(id), lateral (select from signed_transactions t where t.payout_id = w.id limit 1) t limit 1;
  if found then
    outcome := 'signed'; return next; return;
  end if;

  perform from payouts_unconfirmed(ids) limit 1;       -- a payout begins to wait before it is there, and never again
  if found then
    outcome := 'unconfirmed'; return next; return;
  end if;

  perform from signing_nonces n where n.network = net and n.address = hot for update; -- by itself: the next statement sees every stop written meanwhile
  update signing_nonces n set next = next + slots where n.network = net and n.address = hot
    and may_sign(net, hot, assets, kind)
  returning next - slots, unsent_from into first, since;
  if first is null then
    outcome := 'stopped'; return next; return;
  end if;

  perform count_payouts(ids, places);                 -- behind the nonces: who sets a limit holds them (store.RecountWindows)
  select o.why into why from payouts_over_limits(ids, places, true) o limit 1;
  if why is not null then
    outcome := 'above'; return next; return;
  end if;

  outcome := 'doubtful';
  for why, of_token, promised in
    select u.recipient || ' ' || u.txid || ' ' || u.memo, u.token, u.amount from unknown_spends u
    where u.network = net and u.sender = '' and (u.decision is null or u.decision = 'lost')
  loop
    return next;
  end loop;

  why := null; of_token := null; promised := null;
  outcome := 'ready'; return next;
  if kind = 'coins' then
    outcome := 'coin';
    for why, first, of_token, promised in select concat_ws(' ', c.id, c.deposit), c.position, c.token, c.amount from free_coins(net, hot) c loop
      return next;
    end loop;
    return;
  end if;
  outcome := 'promised';
  if counted is not null then                         -- 1. all from counted on
    for of_token, promised, fees, these in
      select p.token, coalesce(sum(p.amount) filter (where t.pays), 0), sum(t.fee), count(*) from (
          select t.payout_id, bool_or(t.purpose not in ('cancel', 'void', 'unstake', 'withdraw', 'delegate', 'undelegate')) as pays, bool_or(t.purpose not in ('pay', 'cancel')) as of_move,
            max(t.fee) as fee from signed_transactions t
          where t.network = net and t.open and t.nonce >= counted and t.address = hot group by t.nonce, t.payout_id offset 0) t,
        lateral ((select p.token, p.amount from payouts p where not t.of_move and p.id between t.payout_id and t.payout_id order by p.id limit 1)
          union all select m.token, m.amount from treasury_moves m where t.of_move and m.id = t.payout_id) p
      group by p.token
    loop
      known := known + these;
      return next;
    end loop;
    if kind = 'number' and known < first - counted then
      outcome := 'again'; return next;
    end if;
    return;
  end if;

  upto := first;                                      -- 2. what is signed and not sent
  for of_token, promised, lowest in
    select p.token, sum(p.amount), min(t.nonce) from (
        select t.payout_id, t.nonce, t.purpose <> 'pay' as of_move from signed_transactions t
        where t.network = net and t.open and t.nonce >= since and t.address = hot and t.state = 'signed' and t.purpose not in ('cancel', 'void', 'unstake', 'withdraw', 'delegate', 'undelegate') offset 0) t,
      lateral ((select p.token, p.amount from payouts p where not t.of_move and p.id between t.payout_id and t.payout_id order by p.id limit 1)
        union all select m.token, m.amount from treasury_moves m where t.of_move and m.id = t.payout_id) p
    group by p.token
  loop
    upto := least(upto, lowest);
    return next;
  end loop;
  if untaken < first then                             -- 3. what was sent from untaken on
    for of_token, promised in
      select p.token, sum(p.amount) from (
          select t.payout_id, t.purpose <> 'pay' as of_move from signed_transactions t
          where t.network = net and t.open and t.nonce >= untaken and t.address = hot and t.state <> 'signed' and t.purpose not in ('cancel', 'void', 'unstake', 'withdraw', 'delegate', 'undelegate') offset 0) t,
        lateral ((select p.token, p.amount from payouts p where not t.of_move and p.id between t.payout_id and t.payout_id order by p.id limit 1)
          union all select m.token, m.amount from treasury_moves m where t.of_move and m.id = t.payout_id) p
      group by p.token
    loop
      return next;
    end loop;
  end if;
  if upto > since then
    update signing_nonces n set unsent_from = upto where n.network = net and n.address = hot;
  end if;
end $$;

-- record_sent marks transactions that networks have taken, moves payouts on, each if it is in the status that is given for it,
-- and removes the jobs; or it changes nothing and answers false, when a job is no longer its attempt's.
create function record_sent(refs uuid[], job_attempts int[], networks text[], txids text[], ids uuid[], statuses text[], by_txids text[])
returns boolean
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  marked tid[];
  moved tid[];
  by_whom text[];                                     -- of each moved
  mine tid[];
begin
  marked := array(select t.ctid from (select * from unnest(networks, txids) as m(network, txid) order by m.network, m.txid) m,
    lateral (select t.ctid from signed_transactions t where t.network = m.network and t.txid = m.txid and t.state = 'signed' for update) t);
  select array_agg(p.ctid), array_agg(m.by_txid) into moved, by_whom
    from (select * from unnest(ids, statuses, by_txids) as m(id, status, by_txid) order by m.id) m,
    lateral (select p.ctid from payouts p where p.status = m.status and p.id between m.id and m.id order by p.id limit 1 for update) p;
  mine := array(select j.ctid from (select distinct * from unnest(refs, job_attempts) as a(ref, attempt) order by 1, 2) a,
    lateral (select j.ctid from jobs j where j.attempt = a.attempt and j.kind = 'payout.broadcast' and j.ref = a.ref for update) j);
  if cardinality(mine) <> cardinality(refs) then return false; end if;

  update signed_transactions t set state = 'sent', height = null, sent_at = coalesce(t.sent_at, now()) where t.ctid = any(marked);
  update payouts p set status = 'sent', txid = coalesce(m.by_txid, p.txid), updated_at = now()
    from unnest(moved, by_whom) as m(at, by_txid) where p.ctid = m.at;
  delete from jobs j where j.ctid = any(mine);
  return true;
end $$;

-- payouts_of answers payouts by their ids.
create function payouts_of(ids uuid[]) returns setof payouts
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select p.* from unnest(ids) as w(id),
    lateral (select * from payouts p where p.id between w.id and w.id order by p.id limit 1) p;
end $$;

-- move_payouts moves payouts, each if it is in the status that is given for it, and answers how many. With holds it leaves those out
-- that payouts_unheld answers, and answers their ids.
create function move_payouts(ids uuid[], statuses text[], txids text[], next text, holds bytea[], out moved int, out unheld uuid[])
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  found_at tid[];
  by_whom text[];                                     -- of each found
begin
  unheld := '{}';
  if holds is not null then
    unheld := array(select payouts_unheld(ids, holds));
  end if;
  select array_agg(p.ctid), array_agg(m.txid) into found_at, by_whom
    from (select * from unnest(ids, statuses, txids) as m(id, status, txid) where m.id <> all(unheld) order by m.id) m,
    lateral (select p.ctid from payouts p where p.status = m.status and p.id between m.id and m.id order by p.id limit 1 for update) p;
  update payouts p set status = next, txid = coalesce(m.txid, p.txid), updated_at = now()
    from unnest(found_at, by_whom) as m(at, txid) where p.ctid = m.at;
  get diagnostics moved = row_count;
end $$;

-- mark_signed moves transactions of a network, each if it is in the state that is given for it, and answers the txids of those.
create function mark_signed(net text, txids text[], states text[], nexts text[], heights bigint[], blocks uuid[]) returns setof text
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  found_at tid[];
  found_next text[];                                  -- of each found,
  found_height bigint[];                              -- and these too
  found_block uuid[];
begin
  select array_agg(t.ctid), array_agg(m.next), array_agg(m.height), array_agg(m.block) into found_at, found_next, found_height, found_block
    from (select * from unnest(txids, states, nexts, heights, blocks) as m(txid, state, next, height, block) order by m.txid) m,
    lateral (select t.ctid from signed_transactions t where t.network = net and t.txid = m.txid and t.state = m.state for update) t;
  return query update signed_transactions t set state = m.next, height = m.height, block = m.block,
      sent_at = case when m.next = 'sent' then coalesce(t.sent_at, now()) else t.sent_at end
    from unnest(found_at, found_next, found_height, found_block) as m(at, next, height, block) where t.ctid = m.at returning t.txid;
end $$;

-- mark_replaced marks the other transactions of payouts, which have the same nonces of the same hot wallets, as replaced by those
-- with the txids.
create function mark_replaced(net text, payout_ids uuid[], hots text[], nonces bigint[], txids text[]) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  candidates text[] := array(select t.txid from unnest(payout_ids, hots, nonces, txids) as f(payout_id, hot, nonce, txid),
    lateral (select t.txid from signed_transactions t where t.payout_id = f.payout_id and t.network = net and t.address = f.hot
      and t.nonce = f.nonce and t.txid <> f.txid offset 0) t);
  others tid[] := array(select t.ctid from (select distinct c.txid from unnest(candidates) as c(txid) order by 1) c,
    lateral (select t.ctid from signed_transactions t where t.network = net and t.txid = c.txid
      and t.state in ('signed', 'sent', 'mined', 'rejected') for update) t);
begin
  update signed_transactions t set state = 'replaced', block = null where t.ctid = any(others);
end $$;

-- adopt_copies keeps mined copies of transactions of ours as such, each with the rows of its original. It is
-- the older one: of two that may be mined the original is sent again, since nodes may refuse to pass a copy on. A worker signs nothing, and so adds
-- no transaction otherwise: this has the rights of the owner.
create function adopt_copies(net text, txids text[], originals text[], raws bytea[], heights bigint[], blocks uuid[]) returns void language plpgsql
security definer set search_path = public, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, fee, state, place, height, until, block, signed_at, sent_at)
  select net, c.txid, t.payout_id, t.purpose, t.address, t.nonce, case when t.place = 0 then c.raw end, t.fee, 'mined', t.place, c.height, t.until, c.block,
    t.signed_at - interval '1 microsecond', now()
  from unnest(txids, originals, raws, heights, blocks) as c(txid, original, raw, height, block),
    lateral (select t.* from signed_transactions t where t.network = net and t.txid = c.original) t order by c.txid, t.place
  on conflict do nothing;
  update foreign_spends s set resumed_at = now() where s.network = net and s.txid = any(txids) and s.resumed_at is null;
end $$;

-- signed_among answers which of the transactions are among those of ours on a network.
create function signed_among(net text, txids text[]) returns setof text
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select t.txid from unnest(txids) as w(txid), lateral (
    select t.txid from signed_transactions t where t.network = net and t.txid = w.txid limit 1) t;
end $$;

-- had_slots answers which of the addresses have ever had a slot of ours on a network.
create function had_slots(net text, addresses text[]) returns setof text
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select n.address from unnest(addresses) as w(address), lateral (
    select n.address from signing_nonces n where n.network = net and n.address = w.address limit 1) n;
end $$;

-- open_signed answers open transactions of each hot wallet of a network, in the order of their nonces and, of those that share one,
-- oldest first: what a follower looks up. It answers so many rows of each wallet, and all rows of the last transaction. Those in blocks
-- above final are left out. It reads an index in its order and stops: of what is open it reads so many, and what is in blocks that are
-- not final.
create function open_signed(net text, final bigint, most int)
returns table (network text, txid text, payout_id uuid, purpose text, address text, nonce bigint, fee numeric, state text,
               height bigint, block uuid, signed_at timestamptz, sent_at timestamptz, place smallint, until bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  hot text := '';
begin
  loop
    select t.address into hot from signed_transactions t where t.network = net and t.open and t.address > hot
      order by t.address limit 1;
    exit when hot is null;
    return query
    select t.network, t.txid, t.payout_id, t.purpose, t.address, t.nonce, t.fee, t.state, t.height, t.block, t.signed_at, t.sent_at, t.place, t.until
    from signed_transactions t where t.network = net and t.open and t.address = hot and (t.state <> 'mined' or t.height <= final)
    order by t.nonce, t.signed_at fetch first most rows with ties;
  end loop;
end $$;
