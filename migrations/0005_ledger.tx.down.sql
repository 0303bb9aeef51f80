drop function if exists record_payouts(payout_item[], boolean);
drop type if exists payout_item;
drop function if exists open_daily_spend(text[], date);
drop function if exists post(uuid[], entry_kind[], int[], bytea[], int[], int[], text[], text[], text[], numeric[], text[], uuid[], text[], text[], boolean[]);
drop function if exists open_accounts(text[]);
drop type if exists move;
drop table if exists postings, entries, balances, debts, accounts;
drop function if exists note_debt();
drop type if exists entry_kind;
