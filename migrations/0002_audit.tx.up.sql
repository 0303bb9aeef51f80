-- What the operator changed, each row with a hash that covers it and the hash before it, so that nothing can be changed,
-- removed or put in between without every later hash being wrong (docs/decisions/0013-audit-chain.md).

create table audit (
  id bigint primary key,                              -- audit_chained numbers it
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb,
  hash bytea not null
);

create index on audit (subject, (after->>'from'), at) where action = 'operator.login'; -- LoggedInFrom

create function append_only() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger audit_append_only before update or delete or truncate on audit
  for each statement execute function append_only();

-- The newest row. Whoever writes one locks it, so that rows are numbered without gaps in the order of the chain.
create table audit_head (
  one boolean primary key default true check (one),
  id bigint not null,
  hash bytea not null
);
insert into audit_head (id, hash) values (0, '\x');

create function audit_hash(previous bytea, a audit) returns bytea language sql immutable as $$
  select sha256(previous || convert_to(jsonb_build_array(a.id, (extract(epoch from a.at) * 1000000)::bigint,
    a.actor, a.action, a.subject, a.before, a.after)::text, 'UTF8'));
$$;

create function audit_chained() returns trigger language plpgsql as $$
declare
  head audit_head;
begin
  select * into strict head from audit_head for update;
  new.id := head.id + 1;
  new.hash := audit_hash(head.hash, new);
  update audit_head set id = new.id, hash = new.hash;
  return new;
end $$;

-- audit_broken answers the first row that is not what was written, if there is one: its id and what is wrong.
create function audit_broken() returns table (id bigint, problem text) language sql stable as $$
  with rows as (
    select a.id, a.hash, lag(a.id, 1, 0::bigint) over w as before_id, audit_hash(lag(a.hash, 1, '\x'::bytea) over w, a) as expected
    from audit a window w as (order by a.id)),
  problems as (
    select id, case when id <> before_id + 1 then 'row ' || before_id + 1 || ' before it is gone' else 'it was changed' end as problem
    from rows where id <> before_id + 1 or hash is distinct from expected
    union all
    select h.id, 'the newest row is gone or was replaced' from audit_head h
    where h.id > 0 and not exists (select from audit a where a.id = h.id and a.hash = h.hash)
    union all
    select a.id, 'it was added outside of the chain' from audit a, audit_head h where a.id > h.id)
  select p.id, p.problem from problems p order by p.id, p.problem limit 1;
$$;

create trigger audit_chained before insert on audit for each row execute function audit_chained();
