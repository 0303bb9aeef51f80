-- A step along a network reads less for each payin (docs/decisions/0100-what-a-step-holds.md).

-- paid_besides answers which payins have more transfers than so many.
create function paid_besides(payins uuid[], held int[]) returns setof uuid
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select w.id from unnest(payins, held) as w(id, n)
    where w.n < (select count(*) from (select from transfers t where t.payin_id = w.id limit w.n + 1) t);
end $$;
