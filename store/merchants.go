package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/pay"
)

// Merchant reads a merchant.
func (s *Store) Merchant(ctx context.Context, id uuid.UUID) (*pay.Merchant, error) {
	m := new(pay.Merchant)
	err := s.Q.NewSelect().Model(m).Where("id = ?", id).Scan(ctx)
	return m, one(err, "merchant "+id.String())
}

// NetworkTerms answers the merchant's overrides, by network name.
func (s *Store) NetworkTerms(ctx context.Context, merchant uuid.UUID) ([]pay.NetworkTerms, error) {
	var out []pay.NetworkTerms
	err := s.Q.NewSelect().Model(&out).ModelTableExpr("merchant_networks AS network_terms").Where("merchant_id = ?", merchant).Order("network").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read network terms: %w", err)
	}
	return out, nil
}

// WalletForUpdate reads a fixed wallet and keeps it from changing until the transaction ends.
func (s *Store) WalletForUpdate(ctx context.Context, id uuid.UUID) (*pay.Wallet, error) {
	w := new(pay.Wallet)
	err := s.Q.NewSelect().Model(w).Where("id = ?", id).For("update").Scan(ctx)
	return w, one(err, "wallet "+id.String())
}

// TouchWallet notes a transfer to a fixed wallet now; a revocation that was announced is off (addendum §9).
func (s *Store) TouchWallet(ctx context.Context, id uuid.UUID) error {
	_, err := s.Q.NewRaw("update wallets set last_transaction_at = now(), revoke_at = null, updated_at = now() where id = ?", id).Exec(ctx)
	if err != nil {
		return fmt.Errorf("touch wallet: %w", err)
	}
	return nil
}
