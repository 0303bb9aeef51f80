drop function if exists count_payouts(uuid[], text[]), payout_over_window(payouts, text, boolean), payout_for_two(payouts), payout_over_limit(payouts),
  payout_worth(payouts, text), in_use(prices), forget_windows();
drop index if exists signed_lately;
drop view if exists window_limits;
drop table if exists samples, payout_approvals, two_people, payout_windows, payout_limits, first_operator, operator_tries, operator_sessions, operators;
