package store

import (
	"context"
	"database/sql"
	"time"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// StartedDelivery is a delivery whose job was started, with the data for sending it.
type StartedDelivery struct {
	pay.Delivery
	Attempt          int    // of the job
	WebhookSecret    []byte // sealed; the merchant's newest
	WebhookSecretOld []byte // sealed; nil without one
	Waits            bool   // an earlier delivery of its subject is still to go out
}

// StartDeliveries starts one or more jobs of deliveries (see StartJob) and reads their deliveries, in one statement on
// the pool. A delivery is missing if its job has another attempt by now. Only the fields for sending and ending a
// delivery are set; the others are zero.
func (s *Store) StartDeliveries(ctx context.Context, jobs []DueJob, visibility time.Duration) (map[DueJob]*StartedDelivery, error) {
	refs, attempts := make([][16]byte, len(jobs)), make([]int, len(jobs))
	for i, j := range jobs {
		refs[i], attempts[i] = j.Ref, j.Attempt
	}
	out := make(map[DueJob]*StartedDelivery, len(jobs))
	err := pg.Rows(ctx, s.Q, "start deliveries", func(rows *sql.Rows) error {
		d := new(StartedDelivery)
		err := rows.Scan(&d.ID, &d.Attempt, &d.MerchantID, &d.Subject, &d.Seq, &d.URL, &d.Body, &d.Status, &d.Attempts,
			&d.WebhookSecret, &d.WebhookSecretOld, &d.Waits)
		if err == nil {
			out[DueJob{jobs[0].Kind, d.ID, d.Attempt}] = d
		}
		return err
	}, "select * from start_deliveries($1, $2, $3)", refs, attempts, visibility)
	return out, err
}

// DeliveryEnd is the last try of a delivery: Status is delivered or exhausted.
type DeliveryEnd struct {
	Job     DueJob
	Attempt pay.Attempt
	Status  string
}

// EndDeliveries keeps the last tries, finishes the jobs and wakes the next delivery of each subject, in one statement on the
// pool; or it changes nothing and returns ErrNotAll, when a job is no longer its attempt's.
func (s *Store) EndDeliveries(ctx context.Context, ends []DeliveryEnd) error {
	n := len(ends)
	refs, jobAttempts, tries, statuses := make([][16]byte, n), make([]int, n), make([]int, n), make([]string, n)
	codes, reasons, took := make([]int, n), make([]string, n), make([]int, n)
	heads, bodies := make([]string, n), make([]string, n)
	for i, e := range ends {
		refs[i], jobAttempts[i], tries[i], statuses[i] = e.Job.Ref, e.Job.Attempt, e.Attempt.Attempt, e.Status
		codes[i], reasons[i], took[i] = e.Attempt.Status, e.Attempt.Error, e.Attempt.DurationMS
		heads[i], bodies[i] = e.Attempt.AnswerHead, e.Attempt.AnswerBody
	}
	var all bool
	err := pg.Rows(ctx, s.Q, "end deliveries", func(rows *sql.Rows) error { return rows.Scan(&all) },
		"select end_deliveries($1, $2, $3, $4, $5, $6, $7, $8, $9)", refs, jobAttempts, tries, statuses, codes, reasons, took, heads, bodies)
	if err != nil {
		return err
	}
	if !all {
		return ErrNotAll
	}
	return nil
}
