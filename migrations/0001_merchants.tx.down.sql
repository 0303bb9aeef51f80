drop table if exists idempotency_keys, request_nonces, keys, merchant_networks, merchants;
drop function if exists suspension_changed();
