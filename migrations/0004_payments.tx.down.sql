drop function end_deliveries, start_deliveries, start_jobs;
drop view if exists delivery_attempts;
drop function if exists refunded(uuid, text, text);
drop table if exists failed_attempts, deliveries, followers, chain_blocks, asides, transfers, refunds, payment_choices, payment_requests, payment_links, payins, wallets, addresses,
  contrary_transactions, foreign_spends, coins, signed_transactions, signing_nonces, daily_spend, payouts, jobs;
drop function if exists books_run();
drop sequence if exists address_index;
drop function if exists public_status(text);
