-- E-mail addresses of customers may be forgotten after a time (docs/decisions/0099).

-- The index is made under a lock against new payment requests. Behind a backup it would wait, and they behind it.
set local lock_timeout = '5s';
create index payment_requests_emails on payment_requests (expires_at) where email <> '';

-- forget_emails takes the customer's address off at most so many payment requests that ended longer ago than the addresses are kept, the
-- oldest first, and answers how many. A request for which a receipt may still be due keeps its address: a payin of it is open, money for
-- one is on its way, or a refund of one is promised or under way. Receipts that are recorded have the address themselves.
create function forget_emails(kept interval, most int) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_bitmapscan = off set enable_sort = off as $$
declare
  gone int;
begin
  if kept < interval '30 days' then
    raise exception 'e-mail addresses of customers are kept for 30 days at least';
  end if;
  with old as (
    select r.ctid from payment_requests r
    where r.email <> '' and r.expires_at < now() - kept and not exists (
      select from payment_choices c,
      lateral (select p.status from payins p where p.id between c.payin_id and c.payin_id order by p.id limit 1) p
      where c.request_id = r.id and (p.status = 'pending'
        or exists (select from transfers t where t.payin_id = c.payin_id and t.status || '' in ('seen', 'credited'))
        or exists (select from refunds b where b.payin_id = c.payin_id and (b.payout_id is null and b.revoked_at is null and b.expires_at > now()
          or exists (select from payouts o where o.id between b.payout_id and b.payout_id and o.wire_status || '' = 'pending')))))
    order by r.expires_at limit most for update of r skip locked)
  update payment_requests r set email = '' from old where r.ctid = old.ctid;
  get diagnostics gone = row_count;
  return gone;
end $$;
