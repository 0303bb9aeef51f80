drop function if exists tell_people(text, text[], text, uuid[], text[], text[]), tell(text[], uuid[], text, text, text[], text[]);
drop table if exists messages;
