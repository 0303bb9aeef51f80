drop function if exists adopt_copies, open_signed, had_slots, signed_among, mark_replaced, mark_signed, move_payouts, payouts_of, record_sent, begin_signing, free_coins, spendable_coins, may_sign, books_sure, payouts_unheld, payouts_over_limits;
drop function if exists count_capped(text, text, numeric);
drop table if exists capped_payouts, capped_spend;
