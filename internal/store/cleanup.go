package store

import (
	"context"
	"database/sql"
	"fmt"

	"causeway/internal/pg"
)

// DeleteExpired removes request nonces too old for any accepted timestamp (tolerance 300 s, both ways), sums of payouts
// signed longer ago than a limit of a day looks back, idempotency keys past their 24 hours (api-v1 §Limits), and requests logged a week ago.
// Messages to people are kept for 30 days after their end.
func (s *Store) DeleteExpired(ctx context.Context) error {
	for _, statement := range []string{
		"delete from request_nonces where seen_at < now() - interval '20 minutes'",
		"select forget_windows()",
		"delete from messages where ended_at < now() - interval '30 days'",
		"delete from request_log where at < now() - interval '7 days'",
		"delete from idempotency_keys where claimed_at < now() - interval '24 hours'",
	} {
		if _, err := s.Q.NewRaw(statement).Exec(ctx); err != nil {
			return fmt.Errorf("forget what is out of time: %w", err)
		}
	}
	return nil
}

// ForgetEmails takes the customer's address off at most so many payment requests ended a number of days ago, at least 30,
// and returns how many. A request keeps its address while a receipt may be due.
func (s *Store) ForgetEmails(ctx context.Context, days, most int) (gone int, err error) {
	err = pg.Rows(ctx, s.Q, "forget e-mail addresses", func(rows *sql.Rows) error { return rows.Scan(&gone) },
		"select forget_emails(make_interval(days => $1), $2)", days, most)
	return gone, err
}

// ForgetDeliveries deletes at most so many webhooks ended a number of days ago, at least 7, with their tries. It returns
// how many. A webhook still to go out is never deleted, and Told goes on answering for the deleted ones.
func (s *Store) ForgetDeliveries(ctx context.Context, days, most int) (gone int, err error) {
	err = pg.Rows(ctx, s.Q, "forget deliveries", func(rows *sql.Rows) error { return rows.Scan(&gone) },
		"select forget_deliveries(make_interval(days => $1), $2)", days, most)
	return gone, err
}
