-- The yardstick of `make bench`: pgbench -M prepared -D accounts=N -f yardstick.sql (schema: yardstick_schema.sql).
\set account random(1, :accounts)
select yard_post(:account, 5);
