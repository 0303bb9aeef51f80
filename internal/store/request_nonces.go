package store

import (
	"context"
)

// SpendNonce records the use of a nonce by a key, in its own statement. fresh is false when it was used before
// (addendum §1). A nonce must be kept for as long as its timestamp could be sent again: twice the tolerance of 300 s.
func (s *Store) SpendNonce(ctx context.Context, keyID, nonce string) (fresh bool, err error) {
	const query = `insert into request_nonces (key_id, nonce) values (?, ?) on conflict do nothing`
	res, err := s.DB.ExecContext(ctx, query, keyID, nonce)
	return changed(res, err, "spend nonce")
}
