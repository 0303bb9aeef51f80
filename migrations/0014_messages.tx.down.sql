drop function if exists tell_payers_refunded(uuid[]), tell_payers_paid(uuid[], boolean[]), tell_payers(text, uuid[], uuid[], uuid[], text[], uuid[], jsonb[]), tell_operators(text, text, text), tell_people(text, text[], text, uuid[], text[], text[]), tell(text[], uuid[], text, text, text[], text[]);
drop table if exists conditions, payer_receipts, chats, messages;
