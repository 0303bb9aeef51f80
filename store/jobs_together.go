package store

import (
	"context"

	"github.com/google/uuid"
)

// startedTogether starts the jobs of the kind $1, the refs $2 and the attempts $3 (see StartJob), for $4 microseconds: started
// has those that are still their attempt's. Rows are locked in one order, so that groups of several processes never wait
// for each other in a circle; each is found by its key, whatever the statistics of a table say that is never the same.
const startedTogether = `with mine as materialized (
			select j.* from (select distinct * from unnest($2::uuid[], $3::int[]) as a(ref, attempt) order by 1, 2) a,
				lateral (select ref, attempt from jobs j where j.attempt = a.attempt and j.kind = $1 and j.ref = a.ref for update) j),
		started as (
			update jobs j set run_at = now() + $4 * interval '1 microsecond' from mine
			where j.kind = $1 and j.ref = mine.ref returning j.ref, j.attempt)`

// FinishJobs removes jobs of one kind, or answers ErrNotAll when one of them is no longer its attempt's; then the caller
// rolls back.
func (s *Store) FinishJobs(ctx context.Context, jobs []DueJob) error {
	if len(jobs) == 0 {
		return nil
	}
	kind, refs, attempts := jobArrays(jobs)
	n, err := s.preparedExec(ctx, "finish jobs", `with mine as materialized (
			select j.ref from (select distinct * from unnest($2::uuid[], $3::int[]) as a(ref, attempt) order by 1, 2) a,
				lateral (select ref from jobs j where j.attempt = a.attempt and j.kind = $1 and j.ref = a.ref for update) j)
		delete from jobs j using mine where j.kind = $1 and j.ref = mine.ref`, kind, refs, attempts)
	if err != nil {
		return err
	}
	if n != len(jobs) {
		return ErrNotAll
	}
	return nil
}

// jobArrays writes jobs of one kind as the arrays of the statements above.
func jobArrays(jobs []DueJob) (kind string, refs []uuid.UUID, attempts []int) {
	for _, j := range jobs {
		refs, attempts = append(refs, j.Ref), append(attempts, j.Attempt)
	}
	return jobs[0].Kind, refs, attempts
}
