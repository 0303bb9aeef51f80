package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pg"
)

// The acts on the row of a job. A guarded act has no effect once another attempt has the job.
//
//	            no row yet   a row already there              attempt   guarded
//	AddJob(s)   due after    due then, or as soon as it was   stays     no
//	PlanJob(s)  due after    keeps its time                   stays     no
//	SetDue      due now      due now                          next      no
//	TakeJob     taken        due after visibility             next      no
//	TakeDue     –            due after visibility             next      no
//	StartJob    –            due after visibility             stays     yes
//	RetryJob    –            due after, failures forgotten    next      yes
//	FailJob     –            due later with each failure      next      yes
//	PutBack     –            due now                          stays     yes
//	FinishJob   –            removed                          –         yes
//	DropJob     –            removed                          –         no

// DueJob is a job row taken by the relay: this attempt at this work is to be rung.
type DueJob struct {
	Kind    string
	Ref     uuid.UUID
	Attempt int
}

// AddJob records work in the transaction of the fact it follows from; a job already there is made due no later.
func (s *Store) AddJob(ctx context.Context, kind string, ref uuid.UUID, after time.Duration) error {
	_, err := s.Q.NewRaw(`insert into jobs (kind, ref, run_at) values (?, ?, now() + ? * interval '1 microsecond')
		on conflict (kind, ref) do update set run_at = least(jobs.run_at, excluded.run_at)`,
		kind, ref, after.Microseconds()).Exec(ctx)
	if err != nil {
		return fmt.Errorf("add job %s: %w", kind, err)
	}
	return nil
}

// AddJobs records several jobs of one kind at once.
func (s *Store) AddJobs(ctx context.Context, kind string, refs []uuid.UUID, after time.Duration) error {
	if len(refs) == 0 {
		return nil
	}
	_, err := pg.Exec(ctx, s.Q, "add jobs "+kind, `insert into jobs (kind, ref, run_at)
		select $1, ref, now() + $2 * interval '1 microsecond' from unnest($3::uuid[]) ref
		on conflict (kind, ref) do update set run_at = least(jobs.run_at, excluded.run_at)`, kind, after.Microseconds(), refs)
	return err
}

// PlanJob records a job meant to be always there, due at once when it is new; a job already there keeps its time.
func (s *Store) PlanJob(ctx context.Context, kind string, ref uuid.UUID) error {
	_, err := s.Q.NewRaw("insert into jobs (kind, ref, run_at) values (?, ?, now()) on conflict do nothing", kind, ref).Exec(ctx)
	if err != nil {
		return fmt.Errorf("plan job: %w", err)
	}
	return nil
}

// PlanJobs records several jobs of one kind, due after a time when they are new; jobs already there keep theirs.
func (s *Store) PlanJobs(ctx context.Context, kind string, refs []uuid.UUID, after time.Duration) error {
	if len(refs) == 0 {
		return nil
	}
	_, err := pg.Exec(ctx, s.Q, "plan jobs "+kind, `insert into jobs (kind, ref, run_at)
		select $1, ref, now() + $2 * interval '1 microsecond' from unnest($3::uuid[]) ref on conflict do nothing`, kind, after.Microseconds(), refs)
	return err
}

// SetDue makes a job due now, under a new attempt: whoever works on it has lost it.
func (s *Store) SetDue(ctx context.Context, kind string, ref uuid.UUID) error {
	_, err := s.Q.NewRaw(`insert into jobs as j (kind, ref, run_at) values (?, ?, now())
		on conflict (kind, ref) do update set run_at = now(), attempt = j.attempt + 1, last_error = null`, kind, ref).Exec(ctx)
	if err != nil {
		return fmt.Errorf("make %s due: %w", kind, err)
	}
	return nil
}

// TakeDue hands out due jobs, oldest first, and makes them due again after visibility: a process taking one and dying
// has only delayed it. Any number of processes may call it. Without kinds it takes any.
func (s *Store) TakeDue(ctx context.Context, kinds []string, limit int, visibility time.Duration) ([]DueJob, error) {
	var out []DueJob
	err := s.Q.NewRaw(`with due as materialized (
			select kind, ref from jobs where run_at <= now() and (cardinality(?0::text[]) = 0 or kind = any(?0::text[]))
			order by run_at limit ?1 for update skip locked)
		update jobs j set attempt = j.attempt + 1, run_at = now() + ?2 * interval '1 microsecond'
		from due where (j.kind, j.ref) = (due.kind, due.ref)
		returning j.kind, j.ref, j.attempt`, pg.Array(kinds), limit, visibility.Microseconds()).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("take due jobs: %w", err)
	}
	return out, nil
}

// TakeJob makes a job due, new or known, and takes it as the relay would, with a note in place of its last error: an
// attempt ending well removes the note, a failing one replaces it.
func (s *Store) TakeJob(ctx context.Context, kind string, ref uuid.UUID, visibility time.Duration, note string) (DueJob, error) {
	j := DueJob{Kind: kind, Ref: ref}
	err := s.Q.NewRaw(`insert into jobs as j (kind, ref, run_at, attempt, last_error) values (?, ?, now() + ? * interval '1 microsecond', 1, ?)
		on conflict (kind, ref) do update set run_at = excluded.run_at, attempt = j.attempt + 1, last_error = excluded.last_error
		returning attempt`, kind, ref, visibility.Microseconds(), note).Scan(ctx, &j.Attempt)
	return j, one(err, "job "+kind)
}

// StartJob reports whether this attempt is still the job's, and keeps the relay away from it for visibility.
func (s *Store) StartJob(ctx context.Context, j DueJob, visibility time.Duration) (bool, error) {
	res, err := s.Q.NewRaw(`update jobs set run_at = now() + ? * interval '1 microsecond'
		where kind = ? and ref = ? and attempt = ?`, visibility.Microseconds(), j.Kind, j.Ref, j.Attempt).Exec(ctx)
	return changed(res, err, "start job")
}

// FinishJob removes the job when this attempt is still its own. Without effect the caller must roll back.
func (s *Store) FinishJob(ctx context.Context, j DueJob) (bool, error) {
	res, err := s.Q.NewRaw("delete from jobs where kind = ? and ref = ? and attempt = ?", j.Kind, j.Ref, j.Attempt).Exec(ctx)
	return changed(res, err, "finish job")
}

// DropJob removes a job whatever attempt it is at: each of them is fenced from the commit on.
func (s *Store) DropJob(ctx context.Context, kind string, ref uuid.UUID) error {
	if _, err := s.Q.NewRaw("delete from jobs where kind = ? and ref = ?", kind, ref).Exec(ctx); err != nil {
		return fmt.Errorf("drop job %s: %w", kind, err)
	}
	return nil
}

// RetryJob makes the job due again after a time, with the reason, when this attempt is still its own. The next attempt
// has another number: nothing done later by this attempt can take effect.
func (s *Store) RetryJob(ctx context.Context, j DueJob, after time.Duration, reason string) (bool, error) {
	res, err := s.Q.NewRaw(`update jobs set run_at = now() + ? * interval '1 microsecond', last_error = nullif(?, ''), attempt = attempt + 1, failures = 0
		where kind = ? and ref = ? and attempt = ?`, after.Microseconds(), reason, j.Kind, j.Ref, j.Attempt).Exec(ctx)
	return changed(res, err, "retry job")
}

// FailJob makes the job due again after a failure of this attempt, with the reason. The delay doubles with each failure in
// a row, from half a second to longest.
func (s *Store) FailJob(ctx context.Context, j DueJob, longest time.Duration, reason string) (bool, error) {
	res, err := s.Q.NewRaw(`update jobs set run_at = now() + least(?, 0.5 * 2 ^ least(failures, 10)) * interval '1 second',
		last_error = ?, attempt = attempt + 1, failures = failures + 1
		where kind = ? and ref = ? and attempt = ?`, longest.Seconds(), reason, j.Kind, j.Ref, j.Attempt).Exec(ctx)
	return changed(res, err, "fail job")
}

// PutBack makes a job due now if this attempt is still its own and has not begun it: the relay makes another attempt of
// it.
func (s *Store) PutBack(ctx context.Context, j DueJob) error {
	_, err := s.Q.NewRaw("update jobs set run_at = least(run_at, now()) where kind = ? and ref = ? and attempt = ?",
		j.Kind, j.Ref, j.Attempt).Exec(ctx)
	if err != nil {
		return fmt.Errorf("put back job: %w", err)
	}
	return nil
}

// JobRow is a job as it is recorded.
type JobRow struct {
	Kind      string    `json:"kind"`
	Ref       uuid.UUID `json:"ref"`
	RunAt     time.Time `json:"run_at"`
	Attempt   int       `json:"attempt"`
	LastError *string   `json:"last_error"`
}

// Job reads a job, nil when there is none.
func (s *Store) Job(ctx context.Context, kind string, ref uuid.UUID) (*JobRow, error) {
	var rows []JobRow
	err := s.Q.NewRaw("select kind, ref, run_at, attempt, last_error from jobs where kind = ? and ref = ?", kind, ref).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read job %s: %w", kind, err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// LastError returns the last error of the only job of a kind; empty when it has none.
func (s *Store) LastError(ctx context.Context, kind string) (why string, err error) {
	if err := s.Q.NewRaw("select coalesce(max(last_error), '') from jobs where kind = ?", kind).Scan(ctx, &why); err != nil {
		return "", fmt.Errorf("read why %s failed: %w", kind, err)
	}
	return why, nil
}

// JobErrors returns the last errors of the given jobs of a kind; jobs without one are missing.
func (s *Store) JobErrors(ctx context.Context, kind string, refs []uuid.UUID) (map[uuid.UUID]string, error) {
	out := make(map[uuid.UUID]string, len(refs))
	if len(refs) == 0 {
		return out, nil
	}
	var rows []struct {
		Ref       uuid.UUID
		LastError string
	}
	err := s.Q.NewRaw("select ref, last_error from jobs where kind = ? and ref = any(?) and last_error is not null", kind, pg.Array(refs)).
		Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read errors of %s jobs: %w", kind, err)
	}
	for _, r := range rows {
		out[r.Ref] = r.LastError
	}
	return out, nil
}

// ErrNotAll says that a job of a group has another attempt by now. Nothing was written for the group.
var ErrNotAll = errors.New("another attempt has taken a job of the group")

// jobArrays writes jobs of one kind as arrays for functions of the database.
func jobArrays(jobs []DueJob) (kind string, refs []uuid.UUID, attempts []int) {
	for _, j := range jobs {
		refs, attempts = append(refs, j.Ref), append(attempts, j.Attempt)
	}
	return jobs[0].Kind, refs, attempts
}
