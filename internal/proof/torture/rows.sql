-- Gives each empty table a row, in the order in which the tables were made. A column has the first value named by a check of the table, the
-- key of a row that it refers to, or some value of its type. Triggers do not run: they would put rows elsewhere.
set session_replication_role = replica;
do $$
declare
  made record;
  part record;
  filled boolean;
  checks text;
  names text;
  texts text;
begin
  for made in select c.oid, c.relname, c.relispartition from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'bun_migration%' order by c.oid
  loop
    execute format('select exists (select from %I)', made.relname) into filled;
    continue when filled;
    names := null;
    texts := null;
    for part in select a.attname, a.attnum, format_type(a.atttypid, null) as kind, f.confrelid::regclass as there, t.attname as there_column
      from pg_attribute a
      left join pg_constraint f on f.conrelid = a.attrelid and f.contype = 'f' and f.conkey = array[a.attnum]
      left join pg_attribute t on t.attrelid = f.confrelid and t.attnum = f.confkey[1]
      where a.attrelid = made.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
        and (a.attnotnull and not a.atthasdef or (made.relname, a.attname) in (('refunds', 'expires_at')))
      order by a.attnum
    loop
      select string_agg(pg_get_constraintdef(oid), ' ') into checks
        from pg_constraint where conrelid = made.oid and contype = 'c' and conkey = array[part.attnum];
      if made.relispartition then
        checks := concat(checks, substring(pg_get_partition_constraintdef(made.oid), '\(' || part.attname || ' = [^)]*'));
      end if;
      names := concat_ws(', ', names, quote_ident(part.attname));
      texts := concat_ws(', ', texts, case
        when part.there is not null then format('(select %I from %s limit 1)', part.there_column, part.there)
        when checks ~ '''[^'']+''::text' then quote_literal(substring(checks, '''([^'']+)''::text'))
        when part.kind = 'uuid' then 'gen_random_uuid()'
        when part.kind = 'bytea' then '''\x00'''
        when part.kind = 'boolean' then 'true'
        when part.kind in ('date', 'timestamp with time zone') then 'now()'
        when part.kind in ('json', 'jsonb') then '''{}'''
        when part.kind like '%[]' then '''{}'''
        when part.kind in ('numeric', 'bigint', 'integer', 'smallint') then '1'
        else quote_literal('x') end);
    end loop;
    execute format(case when names is null then 'insert into %1$I default values' else 'insert into %1$I (%2$s) values (%3$s)' end, made.relname, names, texts);
  end loop;
end $$;
reset session_replication_role;
