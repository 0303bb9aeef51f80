drop function if exists add_key(text, uuid, bytea, text[], text[], boolean, bytea, numeric, int, int, timestamptz), revoke_key(text), cancel_withdrawal(uuid, uuid), payouts_unconfirmed(uuid[]);
drop index if exists audit_of_people, audit_of_merchant, audit_of_operators, audit_person_login;
drop table if exists merchant_sites, merchant_logos, merchant_looks, request_log, request_log_heads, panel_seconds, panel_second_rules, panel_book, panel_rules, person_tries, person_sessions, passkey_challenges, person_passkeys, person_resets, invitations, members, people;
