drop function if exists tell_operators(text, text, text), tell_people(text, text[], text, uuid[], text[], text[]), tell(text[], uuid[], text, text, text[], text[]);
drop table if exists conditions, chats, messages;
