-- A transfer that is final in the step that sees it has no row before it is credited (docs/decisions/0106-final-at-once.md).

-- credit_terms answers what due_transfers does of the merchants of due transfers.
create function credit_terms(merchants uuid[]) returns table (merchant uuid, muted boolean, grace int, bound numeric)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select m.id, m.mute_updates, m.late_grace, m.late_bound from unnest(merchants) as w(id), lateral (
    select * from merchants m where m.id between w.id and w.id order by m.id limit 1) m;
end $$;
