create or replace function tell_operators(of_topic text, of_title text, of_line text) returns void
language sql security definer set search_path = public, pg_temp as $$
  select tell(array_agg('mail:' || o.mail), array_agg(null::uuid), of_topic, of_title, array_agg(of_line), array_agg(''::text))
  from operators o where o.mail is not null and o.disabled_at is null and of_topic <> all(o.quiet) having count(*) > 0;
$$;
drop table if exists operator_chats;
