drop function if exists audit_broken();
drop function if exists audit_hash(bytea, audit);
drop table if exists audit_head, audit;
drop function if exists audit_chained();
drop function if exists append_only();
