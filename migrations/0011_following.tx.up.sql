-- What a step along a network reads and writes of payins, for a group at a time, written for one index each
-- (docs/decisions/0023-statements-that-one-index-answers.md).

-- addresses_at answers addresses of a family by where transfers to them go, the newest where a memo was used again. With each comes
-- what its payin has to say of when a transfer is credited.
create function addresses_at(of_family text, matches text[], memos text[]) returns table (at addresses, merchant uuid, network text, credit_after int)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select d.a, p.merchant_id, p.network, p.credit_after from (
      select x.a from unnest(matches, memos) as w(match, memo), lateral (
        select a from addresses a where a.family = of_family and a.match = w.match and a.memo = w.memo order by a.id + 0 desc limit 1) x) d
    left join lateral (
      select p.merchant_id, p.network, p.credit_after from payins p where p.id between (d.a).payin_id and (d.a).payin_id
      order by p.id limit 1) p on true;
end $$;

-- transfers_by_txid answers the transfers of transactions on a network, locked in the order of their key.
create function transfers_by_txid(net text, txids text[]) returns setof transfers
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select t.* from (select distinct txid from unnest(txids) as u(txid) order by 1) w, lateral (
    select * from transfers t where t.network = net and t.txid = w.txid
    order by t.token, t.position, t.address, t.amount, left(t.memo, 64) for update) t;
end $$;

-- due_transfers answers open transfers of a network in the order of their heights, at most so many: seen up to the height that
-- credit_after says, credited up to the final one. Confirmations count from a block; what is counted is agreed on up to another.
-- They are locked. With each comes the merchant of its payin, whether payment_updated is muted for that merchant, and what
-- holds of late money there.
create function due_transfers(net text, credit bigint, final bigint, safe bigint, finalized bigint, top bigint, agreed bigint, most int) returns table (merchant uuid, muted boolean, grace int, bound numeric, due transfers)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query select p.merchant_id, coalesce(m.mute_updates, false), m.late_grace, m.late_bound, d.t from (
      select t from transfers t where t.network = net and t.open and t.height <= case
        when t.status <> 'seen' then final
        when t.credit_after > 0 then greatest(credit, least(top - t.credit_after + 1, agreed))
        when t.credit_after = -1 then greatest(credit, safe)
        when t.credit_after = -2 then greatest(credit, finalized)
        else credit end
      order by t.height, t.id limit most for update) d
    left join lateral (
      select p.merchant_id from payins p where p.id between (d.t).payin_id and (d.t).payin_id order by p.id limit 1) p on true
    left join lateral (
      select m.mute_updates, m.late_grace, m.late_bound from merchants m where m.id between p.merchant_id and p.merchant_id order by m.id limit 1) m on true;
end $$;

-- mempool_transfers answers the seen transfers of a network that are in no block, locked in the order of their ids.
create function mempool_transfers(net text) returns setof transfers
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query select * from transfers t where t.network = net and t.open and t.height is null and t.status = 'seen'
    order by t.height, t.id for update;
end $$;

-- transfers_of answers transfers of payins, in the order they were seen: of each payin the largest of each kind in turn, without the
-- first so many, and then at most so many, or all where most is null. What counts is one kind, by what it counts; the others are a kind
-- for each token, since amounts of two tokens cannot be compared. Dropped ones come last.
create function transfers_of(payins uuid[], without int, most int) returns setof transfers
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select t.* from unnest(payins) as w(id), lateral (
    select * from (
      select t.* from transfers t, lateral (select case when t.counted > 0 and t.status <> 'seen' then '' else t.token end as kind) k
      where t.payin_id = w.id
      order by t.status = 'dropped', row_number() over (partition by k.kind
        order by t.status = 'dropped', case k.kind when '' then t.counted else t.amount end desc, t.seen_at, t.id), k.kind
      offset without limit most) t
    order by t.seen_at, t.id) t;
end $$;

-- save_transfers writes transfers whole, new or known. Here it is planned, too, how the payins of new ones are looked for.
create function save_transfers(ids uuid[], payins uuid[], places int[], times int[], heights bigint[], networks text[], txids text[],
                               tokens text[], senders text[], addresses text[], memos text[], amounts text[], statuses text[],
                               credits text[], rate_fees text[], network_fees text[], counts text[], reasons text[], worths text[], weights text[],
                               depths int[], mined timestamptz[])
returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  insert into transfers (id, payin_id, position, credits, height, network, txid, token, sender, address, memo, amount, status,
                         credited, rate_fee, network_fee, counted, reason, worth, weight, credit_after, mined_at)
  select t.id, t.payin, t.place, t.times, t.height, t.network, t.txid, t.token, t.sender, t.address, t.memo, t.amount::numeric, t.status,
         t.credited::numeric, t.rate_fee::numeric, t.network_fee::numeric, t.counted::numeric, t.reason,
         t.worth::numeric, t.weight::numeric, t.depth, t.mined_at
  from unnest(ids, payins, places, times, heights, networks, txids, tokens, senders, addresses, memos, amounts, statuses, credits,
              rate_fees, network_fees, counts, reasons, worths, weights, depths, mined)
    as t(id, payin, place, times, height, network, txid, token, sender, address, memo, amount, status, credited, rate_fee, network_fee,
         counted, reason, worth, weight, depth, mined_at)
  on conflict (network, txid, token, position, address, amount, (left(memo, 64) || case when length(memo) > 64 then md5(memo) else '' end)) do update
  set payin_id = excluded.payin_id, status = excluded.status, height = excluded.height, credits = excluded.credits,
    credited = excluded.credited, rate_fee = excluded.rate_fee, network_fee = excluded.network_fee,
    counted = excluded.counted, reason = excluded.reason, worth = excluded.worth, weight = excluded.weight,
    credit_after = excluded.credit_after, mined_at = excluded.mined_at, updated_at = now();
end $$;

-- credit_transfers writes what crediting changes of transfers that are locked.
create function credit_transfers(ids uuid[], statuses text[], times int[], amounts text[], rate_fees text[], network_fees text[],
                                 counts text[], reasons text[], worths text[], weights text[])
returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  update transfers t set status = c.status, credits = c.times, credited = c.amount::numeric, rate_fee = c.rate_fee::numeric,
    network_fee = c.network_fee::numeric, counted = c.counted::numeric, reason = c.reason, worth = c.worth::numeric,
    weight = c.weight::numeric, updated_at = now()
  from (select c.*, t.at from unnest(ids, statuses, times, amounts, rate_fees, network_fees, counts, reasons, worths, weights)
      as c(id, status, times, amount, rate_fee, network_fee, counted, reason, worth, weight),
    lateral (select t.ctid as at from transfers t where t.id between c.id and c.id order by t.id limit 1) t) c
  where t.ctid = c.at;
end $$;

-- lock_payins answers payins by their ids, locked in the order of these.
create function lock_payins(ids uuid[]) returns setof payins
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select p.* from (select distinct w.id from unnest(ids) as w(id) order by 1) w, lateral (
    select * from payins p where p.id between w.id and w.id order by p.id limit 1 for update) p;
end $$;

-- save_payins writes what following a network changes of payins that are locked.
create function save_payins(ids uuid[], statuses text[], sums text[], reversal_times timestamptz[], reversals text[]) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  update payins p set status = r.status, received = r.received::numeric, reversed_at = r.reversed_at, reversal = r.reversal::jsonb,
    undone = p.undone or r.status = 'reversed', updated_at = now()
  from (select r.*, p.at from unnest(ids, statuses, sums, reversal_times, reversals) as r(id, status, received, reversed_at, reversal),
    lateral (select p.ctid as at from payins p where p.id between r.id and r.id order by p.id limit 1) p) r
  where p.ctid = r.at;
end $$;

-- told_of answers which of the events subjects have deliveries of.
create function told_of(subjects uuid[], events text[]) returns table (about uuid, told text)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select w.id, d.event from unnest(subjects) as w(id), lateral (
    select distinct d.event from deliveries d where d.subject = w.id and d.event || '' = any(events)) d;
end $$;

-- start_follows starts steps, each if its job is still its attempt's, and answers where these stand, by their places from 1. What is
-- open is one row to look at, however much is. By_hand is the first block with a move by hand whose cost is not known.
create function start_follows(of_kind text, refs uuid[], job_attempts int[], networks text[], visible interval)
returns table (place bigint, top bigint, top_hash text, stopped boolean, followed text, of_ours boolean, arrived boolean, awaited boolean,
               of_wallet text, since timestamptz, cold text, cold_undone text, by_hand bigint)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  select a.place, coalesce(b.height, -1), coalesce(b.hash, ''), coalesce(f.halted, false), coalesce(f.chain, ''),
    (select true from signed_transactions t where t.network = a.network and t.open order by t.address, t.nonce limit 1) is true,
    (select true from transfers t where t.network = a.network and t.open order by t.height limit 1) is true,
    (select true from payins p where p.status = 'pending' order by p.expires_at limit 1) is true,
    coalesce(f.wallet, ''), coalesce(f.wallet_since, now()),
    (select coalesce(string_agg(c.address, ' ' order by c.address), '') from cold_addresses c where c.network = a.network and c.height is not null),
    (select coalesce(string_agg(c.address, ' ' order by c.address), '') from cold_addresses c where c.network = a.network and c.height is null),
    (select m.height from moves_by_hand m where m.network = a.network and m.cost is null and m.height is not null order by m.height limit 1)
  from start_jobs(of_kind, refs, job_attempts, visible) s
  join unnest(refs, job_attempts, networks) with ordinality as a(ref, attempt, network, place) on a.ref = s.ref and a.attempt = s.attempt
  left join lateral (select c.height, c.hash from chain_blocks c where c.network = a.network order by c.height desc limit 1) b on true
  left join followers f on f.network = a.network;
end $$;

-- advance_follows ends steps, each if its job is still its attempt's, and answers which, by their places from 1. It adds their
-- blocks, drops those that are out of the window, notes their heads, and makes their jobs due again. Each block names its step.
create function advance_follows(of_kind text, window_blocks int,
                                refs uuid[], job_attempts int[], networks text[], chains text[], heads bigint[], rules text[],
                                problems text[], known_until timestamptz[], firsts bigint[], waits interval[], finals bigint[], clocks bigint[],
                                hots text[], steps int[], heights bigint[], hashes text[], parents text[]) returns setof bigint
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  with mine as materialized (
    select a.*, j.at from (
        select distinct on (ref, attempt) *
        from unnest(refs, job_attempts, networks, chains, heads, rules, problems, known_until, firsts, waits, finals, clocks, hots) with ordinality
          as a(ref, attempt, network, chain, head, rule, problem, passed, first, wait, final, clock, hot, place)
        order by ref, attempt, place) a,
      lateral (select j.ctid as at from jobs j where j.attempt = a.attempt and j.kind = of_kind and j.ref = a.ref for update) j),
  fresh as (
    insert into chain_blocks (network, height, hash, parent)
    select m.network, b.height, b.hash, b.parent
    from unnest(steps, heights, hashes, parents) as b(step, height, hash, parent) join mine m on m.place = b.step
    returning network, height),
  stale as (
    delete from chain_blocks c where c.ctid = any(array(
      select b.ctid from (select network, max(height) - window_blocks as lowest from fresh group by network) f,
        lateral (select b.ctid from chain_blocks b where b.network = f.network and b.height < f.lowest order by b.height) b))),
  noted as (
    insert into followers as f (network, head, chain, rule, error, passed_until, followed_from, final, clock, wallet)
    select m.network, m.head, m.chain, m.rule, nullif(m.problem, ''), m.passed, m.first, m.final, m.clock, m.hot from mine m
    on conflict (network) do update set head = excluded.head, chain = coalesce(nullif(f.chain, ''), excluded.chain),
      rule = excluded.rule, error = excluded.error, passed_until = coalesce(excluded.passed_until, f.passed_until),
      final = excluded.final, clock = coalesce(excluded.clock, f.clock),
      wallet = excluded.wallet, wallet_since = case when f.wallet = excluded.wallet then f.wallet_since else now() end, followed_from = coalesce(f.followed_from, excluded.followed_from), updated_at = now())
  update jobs j set run_at = now() + m.wait, last_error = null, attempt = j.attempt + 1, failures = 0
  from mine m where j.ctid = m.at returning m.place;
end $$;
