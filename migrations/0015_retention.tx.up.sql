-- Webhooks that have ended may be deleted after a time (docs/decisions/0102-webhooks-leave-a-mark.md).

-- Taking the key off needs a short lock on the whole table. Behind a backup it would wait, and all of the service behind it.
set local lock_timeout = '5s';

-- Payins with deleted webhooks: what their merchants were told of, since later payments to them are decided by it. No foreign key, which
-- would lock the payin.
create table told_payins (
  payin_id uuid primary key,
  detected boolean not null,                          -- a first transfer, by its event or a later one
  failed boolean not null
);

-- The webhook that another one repeats may be gone before it. The merchant is that of the payin or payout, which no process may take from
-- a merchant; a key here locked the merchant's row for each webhook. Both tables shed their oldest rows all the time: a fifth of them dead,
-- as usual, would be too many to pass over on the way to the next.
alter table deliveries drop constraint deliveries_redelivery_of_fkey, drop constraint deliveries_merchant_id_fkey,
  set (autovacuum_vacuum_scale_factor = 0.02);
alter table failed_attempts set (autovacuum_vacuum_scale_factor = 0.02);

-- told_of answers which of the events subjects have, or had, deliveries of. Of the deleted ones, payment_detected and payment_failed alone
-- are known; payment_detected stands for the events that come after it, too.
create or replace function told_of(subjects uuid[], events text[]) returns table (about uuid, told text)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select w.id, d.event from unnest(subjects) as w(id), lateral (
    select d.event from deliveries d where d.subject = w.id and d.event || '' = any(events)
    union
    select e.event from told_payins t, lateral (values ('payment_detected', t.detected), ('payment_failed', t.failed)) as e(event, known)
    where t.payin_id = w.id and e.known and e.event = any(events)) d;
end $$;

-- forget_deliveries deletes at most so many webhooks that have ended longer ago than they are kept, with their tries, and answers how many.
-- One that is still to go out stays, and so does one with a job. Whoever calls it may delete none by themselves. Ids are in the order of
-- time, so the oldest are found without an index of their ends.
create function forget_deliveries(kept interval, most int) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_bitmapscan = off set enable_sort = off as $$
declare
  ended_before timestamptz := now() - kept;
  gone uuid[];
begin
  if kept < interval '7 days' then
    raise exception 'webhooks are kept for 7 days at least';
  end if;
  gone := array(
    select d.id from deliveries d
    where d.id < (lpad(to_hex((extract(epoch from ended_before) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
      and d.finished_at < ended_before and d.status in ('delivered', 'exhausted')
      and not exists (select from jobs j where j.kind = 'webhook.deliver' and j.ref = d.id)
    order by d.id limit most for update of d skip locked);

  with forgotten as (
    delete from deliveries d where d.id = any(gone) returning d.subject, d.event),
  tries as (
    delete from failed_attempts a where a.delivery_id = any(gone))
  insert into told_payins as t (payin_id, detected, failed)
  select f.subject, bool_or(f.event <> 'payment_failed'), bool_or(f.event = 'payment_failed')
  from forgotten f join payins p on p.id = f.subject
  where f.event in ('payment_detected', 'payment_confirmed', 'payment_reversed', 'payment_failed')
  group by f.subject order by f.subject
  on conflict (payin_id) do update set detected = t.detected or excluded.detected, failed = t.failed or excluded.failed;
  return cardinality(gone);
end $$;
