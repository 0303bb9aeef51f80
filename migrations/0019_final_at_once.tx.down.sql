drop function if exists credit_terms(uuid[]);
