package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Remembered is the row of idempotency_keys under the caller's Idempotency-Key (addendum §7).
type Remembered struct {
	Status *int // nil while the request runs
	Body   []byte
	Sum    []byte        // SHA-256 of the claiming request
	Age    time.Duration // since it was claimed, by the database's clock
}

// Claim is the right to answer one Idempotency-Key of a merchant. ID tells claims of the same key apart, Sum is the SHA-256 of the
// request's body.
type Claim struct {
	Merchant uuid.UUID
	Key      string
	ID       uuid.UUID
	Sum      []byte
}

// ClaimKey claims an Idempotency-Key that is new, was claimed longer than held ago and never answered, or is older than
// kept. It returns false when the key is running or answered. A claim may be made again when its first outcome is not
// known.
func (s *Store) ClaimKey(ctx context.Context, c Claim, held, kept time.Duration) (bool, error) {
	res, err := s.Q.NewRaw(`insert into idempotency_keys as i (merchant_id, key, claim, request) values (?0, ?1, ?2, ?5)
		on conflict (merchant_id, key) do update set claim = excluded.claim, request = excluded.request, claimed_at = now(), status = null, body = null
		where i.status is null and (i.claim = excluded.claim or i.claimed_at <= now() - ?3 * interval '1 microsecond')
		   or i.claimed_at <= now() - ?4 * interval '1 microsecond'`,
		c.Merchant, c.Key, c.ID, held.Microseconds(), kept.Microseconds(), c.Sum).Exec(ctx)
	return changed(res, err, "claim idempotency key")
}

// KeptAnswer reads the answer under an Idempotency-Key, nil while there is none. In a transaction it waits for another
// transaction writing the answer.
func (s *Store) KeptAnswer(ctx context.Context, merchant uuid.UUID, key string) (*Remembered, error) {
	r := new(Remembered)
	err := s.Q.NewRaw(`select status, body, request from idempotency_keys where merchant_id = ? and key = ? for update`,
		merchant, key).Scan(ctx, &r.Status, &r.Body, &r.Sum)
	if errors.Is(err, sql.ErrNoRows) || err == nil && r.Status == nil {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read idempotency key: %w", err)
	}
	return r, nil
}

// KeepAnswer stores the answer of a claim; false when the claim is no longer held, and then the caller must roll back.
func (s *Store) KeepAnswer(ctx context.Context, c Claim, status int, body []byte) (bool, error) {
	res, err := s.Q.NewRaw(`update idempotency_keys set status = ?, body = ?
		where merchant_id = ? and key = ? and claim = ? and status is null`,
		status, body, c.Merchant, c.Key, c.ID).Exec(ctx)
	return changed(res, err, "keep answer")
}

// ReleaseKey gives up a claim without an answer.
func (s *Store) ReleaseKey(ctx context.Context, c Claim) error {
	_, err := s.Q.NewRaw(`delete from idempotency_keys where merchant_id = ? and key = ? and claim = ? and status is null`,
		c.Merchant, c.Key, c.ID).Exec(ctx)
	if err != nil {
		return fmt.Errorf("release idempotency key: %w", err)
	}
	return nil
}
