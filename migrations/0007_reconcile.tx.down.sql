drop function if exists halt_network(text);
drop table if exists wallet_paid_upto, wallet_paid, wallet_holdings, unknown_spends, stopped_wallets, broken_entries, account_sums, ledger_passes, stopped_assets, quiet_holdings, address_holdings, open_surpluses, spend_decisions, treasury_corrections, reconcile_looks, reconcile_reports;
drop trigger if exists postings_in_time on postings;
drop trigger if exists entries_numbered on entries;
drop function if exists fold_ledger(bigint);
drop function if exists fold_entries(int, bigint, bigint);
drop function if exists ledger_touched();
drop function if exists refuse_late_postings();
drop function if exists have_transaction_id();
