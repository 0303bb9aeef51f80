package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/pay"
)

// AddMerchant records a merchant. Its webhook secret is sealed already.
func (s *Store) AddMerchant(ctx context.Context, m *pay.Merchant) error {
	_, err := s.Q.NewInsert().Model(m).ExcludeColumn("created_at").Returning("created_at").Exec(ctx, &m.CreatedAt)
	if err != nil {
		return fmt.Errorf("add merchant: %w", err)
	}
	return nil
}

// MerchantForUpdate reads a merchant and keeps it from changing until the transaction ends.
func (s *Store) MerchantForUpdate(ctx context.Context, id uuid.UUID) (*pay.Merchant, error) {
	m := new(pay.Merchant)
	err := s.Q.NewSelect().Model(m).Where("id = ?", id).For("no key update").Scan(ctx)
	return m, one(err, "merchant "+id.String())
}

// SaveMerchant writes everything that an operator may change of a merchant. The caller holds the row.
func (s *Store) SaveMerchant(ctx context.Context, m *pay.Merchant) error {
	_, err := s.Q.NewUpdate().Model(m).ExcludeColumn("id", "created_at", "webhook_secret", "webhook_secret_old", "wallets_webhook_url").
		WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("save merchant %s: %w", m.ID, err)
	}
	return nil
}

// SaveWebhookSecrets writes a merchant's sealed webhook secrets. The caller holds the row.
func (s *Store) SaveWebhookSecrets(ctx context.Context, m *pay.Merchant) error {
	_, err := s.Q.NewUpdate().Model(m).Column("webhook_secret", "webhook_secret_old").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("save webhook secrets of merchant %s: %w", m.ID, err)
	}
	return nil
}

// SaveNetworkTerms writes a merchant's override on a network, whole.
func (s *Store) SaveNetworkTerms(ctx context.Context, t *pay.NetworkTerms) error {
	_, err := s.Q.NewRaw(`delete from merchant_networks where merchant_id = ? and network = ?`, t.MerchantID, t.Network).Exec(ctx)
	if err == nil && !t.Empty() {
		_, err = s.Q.NewInsert().Model(t).ModelTableExpr("merchant_networks").Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("save terms on %s: %w", t.Network, err)
	}
	return nil
}
