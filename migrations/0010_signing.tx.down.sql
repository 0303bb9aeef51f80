drop function if exists record_sent, begin_signing, payouts_over_limits;
