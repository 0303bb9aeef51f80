drop function if exists open_signed, record_sent, begin_signing, payouts_over_limits;
