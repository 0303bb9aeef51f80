-- What signs payouts and records them as sent, for a group at a time. As with start_deliveries, a connection keeps the plans,
-- which have only the way by index, and rows are locked in one order: transactions, payouts, jobs, as the followers do.

-- payouts_over_limits answers payout_over_limit for those of the payouts that are above one and that nobody has approved.
create function payouts_over_limits(ids uuid[]) returns table (id uuid, why text)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if not exists (select from payout_limits) then return; end if;
  return query
  select p.id, payout_over_limit(p) from unnest(ids) as w(id) join payouts p on p.id = w.id
  where exists (select from payout_limits l where l.merchant_id = p.merchant_id)
    and not exists (select from payout_approvals a where a.payout_id = p.id and a.decision = 'approved')
    and payout_over_limit(p) is not null;
end $$;

-- begin_signing moves payouts of one network to signed, if each is in the status that is given for it, and hands out the next
-- nonces of the hot wallet, whose row is locked until the transaction ends: nonces have neither gaps nor doubles. One row says
-- ready, with the first nonce; the others what of each token is signed and not sent yet: that is looked for among what is open
-- from unsent_from on, which moves up with it, since no index tells the signed from the sent. Any other outcome is for the caller
-- to roll back: moved when a payout is no longer in its status, above with the reason when one waits for approval, stopped
-- while the wallet or an asset is, and before the wallet's nonces were opened.
create function begin_signing(net text, hot text, ids uuid[], statuses text[], assets text[])
returns table (outcome text, why text, first bigint, of_token text, unsent numeric)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  mine int;
  since bigint;                                       -- the wallet's unsent_from,
  lowest bigint;                                      -- of a token,
  upto bigint;                                        -- and of all: what comes before is sent
begin
  with mine as materialized (
    select p.id from (select * from unnest(ids, statuses) as m(id, status) order by m.id) m,
      lateral (select p.id from payouts p where p.status = m.status and p.id = m.id for update) p)
  update payouts p set status = 'signed', updated_at = now() from mine where p.id = mine.id;
  get diagnostics mine = row_count;
  if mine <> cardinality(ids) then
    outcome := 'moved'; return next; return;
  end if;

  select o.why into why from payouts_over_limits(ids) o limit 1;
  if why is not null then
    outcome := 'above'; return next; return;
  end if;

  update signing_nonces n set next = next + cardinality(ids) where n.network = net and n.address = hot
    and not exists (select from stopped_wallets s where s.network = net and s.address = hot)
    and not exists (select from stopped_assets s where s.asset = any(assets))
  returning next - cardinality(ids), unsent_from into first, since;
  if first is null then
    outcome := 'stopped'; return next; return;
  end if;

  outcome := 'ready'; return next;
  outcome := 'unsent';
  upto := first;
  for of_token, unsent, lowest in
    select p.token, sum(p.amount), min(t.nonce) from signed_transactions t join payouts p on p.id = t.payout_id
    where t.network = net and t.open and t.nonce >= since and t.address = hot and t.state = 'signed' and t.purpose = 'pay' group by p.token
  loop
    upto := least(upto, lowest);
    return next;
  end loop;
  if upto > since then
    update signing_nonces n set unsent_from = upto where n.network = net and n.address = hot;
  end if;
end $$;

-- record_sent marks transactions that networks have taken, moves payouts on, each if it is in the status that is given for it,
-- and removes the jobs; or it changes nothing and answers false, when a job is no longer its attempt's.
create function record_sent(refs uuid[], tries int[], networks text[], txids text[], ids uuid[], statuses text[], by_txids text[])
returns boolean
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  mine int;
begin
  perform from (select * from unnest(networks, txids) as m(network, txid) order by m.network, m.txid) m,
    lateral (select from signed_transactions t where t.network = m.network and t.txid = m.txid and t.state = 'signed' for update) t;
  perform from (select * from unnest(ids, statuses) as m(id, status) order by m.id) m,
    lateral (select from payouts p where p.status = m.status and p.id = m.id for update) p;
  perform from (select distinct * from unnest(refs, tries) as a(ref, attempt) order by 1, 2) a,
    lateral (select from jobs j where j.attempt = a.attempt and j.kind = 'payout.broadcast' and j.ref = a.ref for update) j;
  get diagnostics mine = row_count;
  if mine <> cardinality(refs) then return false; end if;

  update signed_transactions t set state = 'sent', height = null, sent_at = coalesce(t.sent_at, now())
    from unnest(networks, txids) as m(network, txid) where t.network = m.network and t.txid = m.txid and t.state = 'signed';
  update payouts p set status = 'sent', txid = coalesce(m.by_txid, p.txid), updated_at = now()
    from unnest(ids, statuses, by_txids) as m(id, status, by_txid) where p.status = m.status and p.id = m.id;
  delete from jobs j using unnest(refs) as e(ref) where j.kind = 'payout.broadcast' and j.ref = e.ref;
  return true;
end $$;

-- open_signed answers open transactions of each hot wallet of a network, at most so many of each, in the order of their nonces
-- and, of those that share one, oldest first: what a follower looks up. Those in blocks above final are left out. It reads an
-- index in its order and stops: of what is open it reads so many, and what is in blocks that are not final.
create function open_signed(net text, final bigint, most int)
returns table (network text, txid text, payout_id uuid, purpose text, address text, nonce bigint, fee numeric, state text,
               height bigint, signed_at timestamptz, sent_at timestamptz)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  hot text := '';
begin
  loop
    select t.address into hot from signed_transactions t where t.network = net and t.open and t.address > hot
      order by t.address limit 1;
    exit when hot is null;
    return query
    select t.network, t.txid, t.payout_id, t.purpose, t.address, t.nonce, t.fee, t.state, t.height, t.signed_at, t.sent_at
    from signed_transactions t where t.network = net and t.open and t.address = hot and (t.state <> 'mined' or t.height <= final)
    order by t.nonce, t.signed_at limit most;
  end loop;
end $$;
