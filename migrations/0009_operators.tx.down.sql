drop function if exists payout_over_limit(payouts), in_use(prices);
drop table if exists samples, payout_approvals, payout_limits, operator_tries, operator_sessions, operators;
