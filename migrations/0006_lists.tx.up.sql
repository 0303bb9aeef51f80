-- How many payins, payouts and entries with movements a merchant has, by hour, day and month of UTC-03:00 (in which date filters are
-- read), token, network and status as the wire names it. A list's totals are sums of these, and a deep page finds its hour from them
-- instead of counting its way there. A busy hour is split into minutes, and a busy minute into seconds.
--
-- Payins and payouts of the panel are in no list of the API, and are not counted: their key_id begins with panel: (pay.OfPanel). Nor are
-- their movements.
--
-- A transaction only adds rows to list_changes, so that no two of them wait for one counter; a job folds the changes into
-- list_counts. A reader adds up both: together they are exact at every moment (docs/decisions/0012-counted-lists.md).

-- The first moment of the span ('second' to 'month') of UTC-03:00 that a moment is in.
create function list_bucket(span text, moment timestamptz) returns timestamptz language sql immutable parallel safe as $$
  select date_trunc(span, moment at time zone interval '-03:00') at time zone interval '-03:00';
$$;

-- Movements are listed as payins and payouts are. They are counted by entry, since those of one entry share merchant, time, asset and
-- network: asset in the place of the token, and the types of all of them in the place of the status.
create view movements as select id, merchant_id, created_at, movement as status from postings where movement is not null and panel is null;
create view moving_entries as
  select id, merchant_id, created_at, asset as token, coalesce(network, '') as network, types as status
  from postings
  where types is not null and panel is null and movement is not null; -- the last follows from the first, and names the index that has the times

-- In parts by the span, so that the few counts of a year's months are not strewn among those of its hours.
create table list_counts (
  merchant_id uuid not null references merchants,
  list text not null check (list in ('payins', 'payouts', 'movements')),
  span text not null,
  starts timestamptz not null,
  token text not null,
  network text not null,
  status text not null,
  n bigint not null,
  primary key (merchant_id, list, span, starts, token, network, status)
) partition by list (span);
create table list_counts_by_month partition of list_counts for values in ('month') with (fillfactor = 70);
create table list_counts_by_day partition of list_counts for values in ('day') with (fillfactor = 70);
create table list_counts_by_hour partition of list_counts for values in ('hour') with (fillfactor = 70);
create table list_counts_by_minute partition of list_counts for values in ('minute') with (fillfactor = 70);
create table list_counts_by_second partition of list_counts for values in ('second') with (fillfactor = 70);

-- The hours that are counted by minutes too, and the minutes that are counted by seconds.
create table list_splits (
  merchant_id uuid not null references merchants,
  list text not null,
  span text not null check (span in ('hour', 'minute')),
  starts timestamptz not null,
  primary key (merchant_id, list, span, starts)
);

-- No key, no foreign key: a row is added in every transaction that adds or moves a payin or payout, and soon folded.
create table list_changes (
  merchant_id uuid not null,
  list text not null,
  second timestamptz not null,
  token text not null,
  network text not null,
  status text not null,
  n bigint not null
) with (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0);
create index on list_changes (merchant_id);

create function count_added() returns trigger language plpgsql as $$
begin
  insert into list_changes (merchant_id, list, second, token, network, status, n)
  select merchant_id, tg_table_name, date_trunc('second', created_at), token, network, public_status(status), count(*)
  from added where key_id not like 'panel:%' group by 1, 3, 4, 5, 6;
  return null;
end $$;

create function count_moved() returns trigger language plpgsql as $$
begin
  insert into list_changes (merchant_id, list, second, token, network, status, n)
  select merchant_id, tg_table_name, second, token, network, status, sum(n)
  from (select merchant_id, date_trunc('second', created_at) as second, token, network, public_status(status) as status, -1 as n from before
        where key_id not like 'panel:%'
        union all
        select merchant_id, date_trunc('second', created_at), token, network, public_status(status), 1 from after
        where key_id not like 'panel:%') moved
  group by 1, 3, 4, 5, 6 having sum(n) <> 0;
  return null;
end $$;

create function count_removed() returns trigger language plpgsql as $$
begin
  if old.key_id like 'panel:%' then return null; end if;
  insert into list_changes (merchant_id, list, second, token, network, status, n)
  values (old.merchant_id, tg_table_name, date_trunc('second', old.created_at), old.token, old.network, public_status(old.status), -1);
  return null;
end $$;

-- Inserts and moves come in groups and are counted by the statement: what cancels out, as most moves of payouts do, leaves
-- nothing behind.
create trigger payouts_added after insert on payouts referencing new table as added
  for each statement execute function count_added();
create trigger payouts_moved after update on payouts referencing old table as before new table as after
  for each statement execute function count_moved();
create trigger payouts_removed after delete on payouts for each row execute function count_removed();

create trigger payins_added after insert on payins referencing new table as added
  for each statement execute function count_added();
create trigger payins_moved after update on payins referencing old table as before new table as after
  for each statement execute function count_moved();
create trigger payins_removed after delete on payins for each row execute function count_removed();

-- Movements are written in groups, and never moved or removed.
create function count_posted() returns trigger language plpgsql as $$
begin
  insert into list_changes (merchant_id, list, second, token, network, status, n)
  select merchant_id, 'movements', date_trunc('second', created_at), asset, coalesce(network, ''), types, count(*)
  from added where types is not null and panel is null group by 1, 3, 4, 5, 6;
  return null;
end $$;
create trigger postings_counted after insert on postings referencing new table as added
  for each statement execute function count_posted();

-- split_list_counts counts the buckets among those given that have become busy by the next shorter span from now on, and
-- answers the new counts. One statement, hence one moment, sees the rows and which of them are changes still to be folded.
create function split_list_counts(busy list_counts[]) returns setof list_counts language sql as $$
  with fresh as (
    insert into list_splits (merchant_id, list, span, starts)
    select c.merchant_id, c.list, c.span, c.starts
    from (select distinct merchant_id, list, span, starts from unnest(busy)) b join list_counts c using (merchant_id, list, span, starts)
    group by 1, 2, 3, 4 having sum(c.n) > 2000
    on conflict do nothing
    returning *, starts + ('1 ' || span)::interval as ends, case span when 'hour' then 'minute' else 'second' end as finer),
  listed as (
    select f.merchant_id, f.list, f.finer, o.created_at as moment, o.token, o.network, public_status(o.status) as status, 1 as n
    from fresh f, lateral (select * from payouts p where f.list = 'payouts' and p.merchant_id = f.merchant_id and p.created_at >= f.starts and p.created_at < f.ends and p.key_id not like 'panel:%') o
    union all
    select f.merchant_id, f.list, f.finer, o.created_at, o.token, o.network, o.status, 1
    from fresh f, lateral (select * from payins p where f.list = 'payins' and p.merchant_id = f.merchant_id and p.created_at >= f.starts and p.created_at < f.ends and p.key_id not like 'panel:%') o
    union all
    select f.merchant_id, f.list, f.finer, o.created_at, o.token, o.network, o.status, 1
    from fresh f, lateral (select * from moving_entries m where f.list = 'movements' and m.merchant_id = f.merchant_id and m.created_at >= f.starts and m.created_at < f.ends) o
    union all
    select f.merchant_id, f.list, f.finer, c.second, c.token, c.network, c.status, -c.n
    from fresh f join list_changes c on c.merchant_id = f.merchant_id and c.list = f.list and c.second >= f.starts and c.second < f.ends)
  insert into list_counts (merchant_id, list, span, starts, token, network, status, n)
  select merchant_id, list, finer, list_bucket(finer, moment), token, network, status, sum(n)
  from listed group by 1, 2, 3, 4, 5, 6, 7 having sum(n) <> 0 order by 1, 2, 3, 4, 5, 6, 7
  returning *;
$$;

-- fold_list_changes moves at most so many changes into the counts, whole or not at all, and answers how many. Only one
-- transaction folds at a time; another one has nothing to do meanwhile. Counts that came to nothing are forgotten.
create function fold_list_changes(most int) returns int language plpgsql as $$
declare
  folded int;
  counts list_counts[];
begin
  if not pg_try_advisory_xact_lock(hashtext('list_changes')) then return 0; end if;

  with taken as (
    delete from list_changes where ctid = any(array(select ctid from list_changes limit most)) returning *),
  changed as (
    select merchant_id, list, second, token, network, status, sum(n) as n
    from taken group by 1, 2, 3, 4, 5, 6 having sum(n) <> 0),
  written as (
    insert into list_counts as c (merchant_id, list, span, starts, token, network, status, n)
    select merchant_id, list, s.span, list_bucket(s.span, second), token, network, status, sum(n)
    from changed d, (values ('month', null), ('day', null), ('hour', null), ('minute', 'hour'), ('second', 'minute')) as s(span, wider)
    where s.wider is null or exists (
      select from list_splits p where p.merchant_id = d.merchant_id and p.list = d.list and p.span = s.wider and p.starts = list_bucket(s.wider, d.second))
    group by 1, 2, 3, 4, 5, 6, 7 having sum(n) <> 0 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (merchant_id, list, span, starts, token, network, status) do update set n = c.n + excluded.n
    returning c.*)
  select (select count(*) from taken), (select array_agg(w::list_counts) from written w) into folded, counts;

  delete from list_counts c using unnest(counts) e
  where e.n = 0 and c.n = 0 and (c.merchant_id, c.list, c.span, c.starts, c.token, c.network, c.status)
    = (e.merchant_id, e.list, e.span, e.starts, e.token, e.network, e.status);

  loop
    counts := array(select c from unnest(counts) c where c.span in ('hour', 'minute'));
    exit when cardinality(counts) = 0;
    counts := array(select c from split_list_counts(counts) c);
  end loop;
  return folded;
end $$;

-- list_count_differences compares the counts of [since, until), whole days, with the rows, and those of each longer span
-- that this touches with those of the shorter one. Counts that are not folded yet belong to the hours. Movements, of which
-- there are most and which nothing moves or removes, are looked at only where until is a day.
create function list_count_differences(since timestamptz, until timestamptz)
returns table (list text, merchant_id uuid, span text, starts timestamptz, token text, network text, status text, want bigint, got bigint)
language sql stable as $$
  with listed as ( -- the rows, each as the lists show it
    select 'payouts' as list, m.id as merchant_id, o.created_at, o.token, o.network, public_status(o.status) as status
    from merchants m, lateral (select * from payouts o where o.merchant_id = m.id and o.created_at >= since and o.created_at < until and o.key_id not like 'panel:%') o
    union all
    select 'payins', m.id, o.created_at, o.token, o.network, o.status
    from merchants m, lateral (select * from payins o where o.merchant_id = m.id and o.created_at >= since and o.created_at < until and o.key_id not like 'panel:%') o
    union all
    select 'movements', m.id, o.created_at, o.token, o.network, o.status
    from merchants m, lateral (select * from moving_entries o where until < 'infinity' and o.merchant_id = m.id and o.created_at >= since and o.created_at < until) o),
  counted as ( -- what is folded, of every span
    select c.* from merchants m, unnest(array['payouts', 'payins', 'movements']) as l(list), unnest(array['second', 'minute', 'hour', 'day', 'month']) as s(span), lateral (
      select * from list_counts o where o.merchant_id = m.id and o.list = l.list and o.span = s.span
      and (o.list <> 'movements' or until < 'infinity') and o.starts < until + interval '31 days'
      and o.starts >= case when s.span in ('day', 'month') then list_bucket('month', since) else since end) c),
  both_sides as (
    -- by the hour: the rows are what is wanted, the counts what is there
    select list, merchant_id, 'hour' as span, list_bucket('hour', created_at) as starts, token, network, status, 1 as want, 0 as got from listed
    union all
    select list, merchant_id, span, starts, token, network, status, 0, n from counted where span = 'hour' and starts < until
    union all
    select list, merchant_id, 'hour', list_bucket('hour', second), token, network, status, 0, n from list_changes
    where second >= since and second < until and (list <> 'movements' or until < 'infinity')
    union all
    -- by each longer span: the shorter ones in it are what is wanted, and its own count what is there
    select c.list, c.merchant_id, w.wide || ' by ' || w.narrow, list_bucket(w.wide, c.starts), c.token, c.network, c.status,
           case when c.span = w.narrow then c.n else 0 end, case when c.span = w.wide then c.n else 0 end
    from counted c join (values ('month', 'day'), ('day', 'hour'), ('hour', 'minute'), ('minute', 'second')) as w(wide, narrow) on c.span in (w.wide, w.narrow)
    where list_bucket(w.wide, c.starts) < until and (w.wide = 'month' or c.starts >= since) and (w.wide in ('month', 'day') or exists (
      select from list_splits p where p.merchant_id = c.merchant_id and p.list = c.list and p.span = w.wide and p.starts = list_bucket(w.wide, c.starts))))
  select list, merchant_id, span, starts, token, network, status, sum(want), sum(got)
  from both_sides group by 1, 2, 3, 4, 5, 6, 7 having sum(want) <> sum(got);
$$;

-- list_totals adds up the list of payins or payouts by status, as "pending 3 completed 5". Its plan is kept by the
-- connection, and list_changes is almost empty after each fold: without the setting, a plan made then would read all of it
-- when there are many.
create function list_totals(merchant uuid, of_list text) returns text language plpgsql stable set enable_seqscan = off as $$
begin
  return (
    select coalesce(string_agg(status || ' ' || n, ' '), '') from (
      select status, sum(n) as n from (
        select c.status, c.n from list_counts_by_month c where c.merchant_id = merchant and c.list = of_list
        union all
        select c.status, c.n from list_changes c where c.merchant_id = merchant and c.list = of_list) parts
      group by status having sum(n) <> 0) totals);
end $$;

-- A filtered list is the merge of those that a filter leaves of these; the counts say which there are.
create index payouts_filtered on payouts (merchant_id, network, token, wire_status, created_at desc, id desc);
create index payins_filtered on payins (merchant_id, network, token, status, created_at desc, id desc);
create index postings_filtered on postings (merchant_id, coalesce(network, ''), asset, types, created_at desc, id desc)
  where types is not null;

-- A merchant's webhooks are listed by status and event, and not counted: a list has the newest 10,000 that fit. Whoever wants
-- all of them, by number, reads the few kinds side by side.
create index deliveries_listed on deliveries (merchant_id, status, event, seq desc);
-- How many were sent once more of late, of which there are only so many.
create index deliveries_again on deliveries (merchant_id, created_at) where redelivery_of is not null;
