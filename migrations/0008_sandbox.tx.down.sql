drop table if exists books;
drop table if exists inbox;
drop function if exists sandbox_reorg(text, bigint, text[]);
drop function if exists sandbox_submit_all(jsonb);
drop function if exists sandbox_submit(jsonb, boolean);
drop function if exists sandbox_mine(text[], bigint);
drop function if exists sandbox_add(text, text, text, numeric);
drop table if exists sandbox_holdings, sandbox_transactions, sandbox_forks, sandbox_networks;
