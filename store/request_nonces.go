package store

import (
	"context"
	"fmt"
)

// SpendNonce records that a key used a nonce, in its own statement. fresh is false when it was used before
// (addendum §1). A nonce must be kept for as long as its timestamp could be sent again: twice the tolerance of 300 s.
func (s *Store) SpendNonce(ctx context.Context, keyID, nonce string) (fresh bool, err error) {
	const query = `insert into request_nonces (key_id, nonce) values (?, ?) on conflict do nothing`
	res, err := s.DB.ExecContext(ctx, query, keyID, nonce)
	return changed(res, err, "spend nonce")
}

// Forget removes request nonces that no timestamp can bring back (tolerance 300 s, both ways) and idempotency keys past
// their 24 hours (api-v1 §Limits).
func (s *Store) Forget(ctx context.Context) error {
	for _, statement := range []string{
		"delete from request_nonces where seen_at < now() - interval '20 minutes'",
		"delete from idempotency_keys where claimed_at < now() - interval '24 hours'",
	} {
		if _, err := s.Q.NewRaw(statement).Exec(ctx); err != nil {
			return fmt.Errorf("forget what is out of time: %w", err)
		}
	}
	return nil
}
