drop function if exists forget_deliveries(interval, int);
create or replace function told_of(subjects uuid[], events text[]) returns table (about uuid, told text)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select w.id, d.event from unnest(subjects) as w(id), lateral (
    select distinct d.event from deliveries d where d.subject = w.id and d.event || '' = any(events)) d;
end $$;
alter table failed_attempts reset (autovacuum_vacuum_scale_factor);
alter table deliveries reset (autovacuum_vacuum_scale_factor);
drop table if exists told_payins;
