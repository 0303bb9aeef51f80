package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// AddKey records a key. Its hash is made and its signing secret sealed already.
func (s *Store) AddKey(ctx context.Context, k *pay.Key) error {
	err := s.Q.NewRaw("select add_key(?, ?, ?, ?::text[], ?::text[], ?, ?, ?, ?, ?, ?)", k.ID, k.MerchantID, k.Hash, listOr(k.Scopes), listOr(k.IPs), k.Signs,
		k.SigningSecret, k.DailyLimitUSD, k.RateLimit, k.RateWindow, k.ExpiresAt).Scan(ctx, &k.CreatedAt)
	if err != nil {
		return fmt.Errorf("add key: %w", err)
	}
	return nil
}

// listOr is a list of texts for a statement; nil is null.
func listOr(texts []string) any {
	if texts == nil {
		return nil
	}
	return pg.Array(texts)
}

// KeyForUpdate reads a key and keeps it from changing until the transaction ends.
func (s *Store) KeyForUpdate(ctx context.Context, id string) (*pay.Key, error) {
	k := new(pay.Key)
	err := s.Q.NewSelect().Model(k).Where("id = ?", id).For("no key update").Scan(ctx)
	return k, one(err, "key "+id)
}

// KeysOf lists a merchant's keys, newest first.
func (s *Store) KeysOf(ctx context.Context, merchant uuid.UUID) ([]pay.Key, error) {
	var out []pay.Key
	err := s.Q.NewSelect().Model(&out).Where("merchant_id = ?", merchant).Order("created_at desc", "id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	return out, nil
}

// Key reads a key.
func (s *Store) Key(ctx context.Context, id string) (*pay.Key, error) {
	k := new(pay.Key)
	err := s.Q.NewSelect().Model(k).Where("id = ?", id).Scan(ctx)
	return k, one(err, "key "+id)
}

// KeyFilter selects keys of all merchants; zero fields do not filter.
type KeyFilter struct {
	Merchant uuid.UUID
	Active   bool   // neither revoked nor expired
	Below    string // the last key of the page before
	Limit    int
}

// KeysAcross lists keys, newest first.
func (s *Store) KeysAcross(ctx context.Context, f KeyFilter) ([]pay.Key, error) {
	var out []pay.Key
	q := s.Q.NewSelect().Model(&out).Order("created_at desc", "id desc").Limit(int64(max(f.Limit, 1)))
	if f.Merchant != uuid.Nil {
		q = q.Where("merchant_id = ?", f.Merchant)
	}
	if f.Active {
		q = q.Where("revoked_at is null and (expires_at is null or expires_at > now())")
	}
	if f.Below != "" {
		q = q.Where("(created_at, id) < (select created_at, id from keys where id = ?)", f.Below)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	return out, nil
}

// RevokeKey ends a key, by the database's clock.
func (s *Store) RevokeKey(ctx context.Context, k *pay.Key) error {
	err := s.Q.NewRaw("select revoke_key(?)", k.ID).Scan(ctx, &k.RevokedAt)
	return one(err, "key "+k.ID)
}

// DropKeySecret removes a key's signing secret: it still requires signatures, and none is right any more.
func (s *Store) DropKeySecret(ctx context.Context, k *pay.Key) error {
	if _, err := s.Q.NewRaw("update keys set signing_secret = null where id = ?", k.ID).Exec(ctx); err != nil {
		return fmt.Errorf("drop the secret of key %s: %w", k.ID, err)
	}
	k.SigningSecret = nil
	return nil
}
