-- Where the operators are told of things beside e-mail (docs/decisions/0098). A table of its own: an api, which writes merchants' chats,
-- may not read it.
create table operator_chats (
  id text primary key,                                -- operators: and the kind; the receiver of its messages
  kind text not null unique check (kind in ('slack', 'telegram')),
  sealed bytea not null,                              -- its address, with the secret
  shown text not null,                                -- its address without the secret
  quiet text[] not null default '{}',                 -- topics switched off
  made_by text not null,
  made_at timestamptz not null default now()
);

-- tell_operators tells the operators' chats as well.
create or replace function tell_operators(of_topic text, of_title text, of_line text) returns void
language sql security definer set search_path = public, pg_temp as $$
  with told as (
    select 'mail:' || o.mail as receiver from operators o where o.mail is not null and o.disabled_at is null and of_topic <> all(o.quiet)
    union all
    select c.id from operator_chats c where of_topic <> all(c.quiet))
  select tell(array_agg(receiver), array_agg(null::uuid), of_topic, of_title, array_agg(of_line), array_agg(''::text)) from told having count(*) > 0;
$$;
