package store

import (
	"context"
	"fmt"
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
