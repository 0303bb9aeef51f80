package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// AddMerchant records a merchant. Its webhook secret is sealed already.
func (s *Store) AddMerchant(ctx context.Context, m *pay.Merchant) error {
	_, err := s.Q.NewInsert().Model(m).ExcludeColumn("created_at").Returning("created_at").Exec(ctx, &m.CreatedAt)
	if err != nil {
		return fmt.Errorf("add merchant: %w", err)
	}
	return nil
}

// Merchant reads a merchant.
func (s *Store) Merchant(ctx context.Context, id uuid.UUID) (*pay.Merchant, error) {
	m := new(pay.Merchant)
	err := s.Q.NewSelect().Model(m).Where("id = ?", id).Scan(ctx)
	return m, one(err, "merchant "+id.String())
}

// Merchants reads merchants.
func (s *Store) Merchants(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]*pay.Merchant, error) {
	var rows []*pay.Merchant
	out := make(map[uuid.UUID]*pay.Merchant, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	if err := s.Q.NewSelect().Model(&rows).Where("id = any(?::uuid[])", pg.Array(ids)).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read merchants: %w", err)
	}
	for _, m := range rows {
		out[m.ID] = m
	}
	return out, nil
}

// MerchantForUpdate reads a merchant and keeps it from changing until the transaction ends.
func (s *Store) MerchantForUpdate(ctx context.Context, id uuid.UUID) (*pay.Merchant, error) {
	m := new(pay.Merchant)
	err := s.Q.NewSelect().Model(m).Where("id = ?", id).For("no key update").Scan(ctx)
	return m, one(err, "merchant "+id.String())
}

// SaveMerchant writes the columns an operator may change of a merchant. The caller holds the row.
func (s *Store) SaveMerchant(ctx context.Context, m *pay.Merchant) error {
	_, err := s.Q.NewUpdate().Model(m).ExcludeColumn("id", "created_at", "webhook_secret", "webhook_secret_old", "wallets_webhook_url").
		WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("save merchant %s: %w", m.ID, err)
	}
	return nil
}

// WebhookSecrets returns the sealed live secrets of a merchant, newest first.
func (s *Store) WebhookSecrets(ctx context.Context, merchant uuid.UUID) ([][]byte, error) {
	var row struct{ WebhookSecret, WebhookSecretOld []byte }
	err := s.Q.NewRaw("select webhook_secret, webhook_secret_old from merchants where id = ?", merchant).Scan(ctx, &row)
	if err := one(err, "merchant "+merchant.String()); err != nil {
		return nil, err
	}
	if row.WebhookSecretOld == nil {
		return [][]byte{row.WebhookSecret}, nil
	}
	return [][]byte{row.WebhookSecret, row.WebhookSecretOld}, nil
}

// AllWebhookSecrets returns the sealed live secrets of every merchant, newest first; nil is none.
func (s *Store) AllWebhookSecrets(ctx context.Context) (map[uuid.UUID][][]byte, error) {
	var rows []struct {
		ID                              uuid.UUID
		WebhookSecret, WebhookSecretOld []byte
	}
	if err := s.Q.NewRaw("select id, webhook_secret, webhook_secret_old from merchants").Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read the webhook secrets of all merchants: %w", err)
	}
	out := make(map[uuid.UUID][][]byte, len(rows))
	for _, m := range rows {
		out[m.ID] = [][]byte{m.WebhookSecret, m.WebhookSecretOld}
	}
	return out, nil
}

// SaveWebhookSecrets writes a merchant's sealed webhook secrets. The caller holds the row.
func (s *Store) SaveWebhookSecrets(ctx context.Context, m *pay.Merchant) error {
	_, err := s.Q.NewUpdate().Model(m).Column("webhook_secret", "webhook_secret_old").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("save webhook secrets of merchant %s: %w", m.ID, err)
	}
	return nil
}

// MerchantNames returns the names of merchants.
func (s *Store) MerchantNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	out := make(map[uuid.UUID]string, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	var rows []struct {
		ID   uuid.UUID
		Name string
	}
	if err := s.Q.NewRaw("select id, name from merchants where id in (?)", bun.List(ids)).Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read names of merchants: %w", err)
	}
	for _, r := range rows {
		out[r.ID] = r.Name
	}
	return out, nil
}

// MerchantRow is a merchant in a list.
type MerchantRow struct {
	ID        uuid.UUID
	Name      string
	Email     string
	Verified  bool
	Suspended bool
	APIAccess bool `bun:"api_access"`
	pay.Terms `bun:"embed:"`
	Keys      int64 // not revoked
	Limits    int64
	CreatedAt time.Time
}

// MerchantsAcross lists merchants by name and then id, after one of them when it is not zero; word is a part of the name,
// of the address or the beginning of the id.
func (s *Store) MerchantsAcross(ctx context.Context, word string, after uuid.UUID, limit int) ([]MerchantRow, error) {
	out := []MerchantRow{}
	err := s.Q.NewRaw(`select m.id, m.name, m.email, m.verified, m.suspended, m.api_access, m.payment_rate, m.receipt_rate, m.deposit_rate,
			m.withdrawal_rate, m.user_pays_payment_network_fee, m.user_pays_receipt_network_fee, m.user_pays_deposit_network_fee,
			m.user_pays_withdrawal_network_fee, m.created_at,
			(select count(*) from keys k where k.merchant_id = m.id and k.revoked_at is null) as keys,
			(select count(*) from payout_limits l where l.merchant_id = m.id) as limits
		from merchants m
		where (?0 = '' or m.name ilike ?1 or m.email ilike ?1 or m.id::text like lower(?5))
			and (?2 = ?3 or (m.name, m.id) > (select name, id from merchants where id = ?2))
		order by m.name, m.id limit ?4`, word, "%"+pg.EscapeLike(word)+"%", after, uuid.Nil, limit, pg.EscapeLike(word)+"%").Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("list merchants: %w", err)
	}
	return out, nil
}
