package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// NetworkTerms returns the merchant's overrides, by network name.
func (s *Store) NetworkTerms(ctx context.Context, merchant uuid.UUID) ([]pay.NetworkTerms, error) {
	var out []pay.NetworkTerms
	err := s.Q.NewSelect().Model(&out).ModelTableExpr("merchant_networks AS network_terms").Where("merchant_id = ?", merchant).
		Order("network").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read network terms: %w", err)
	}
	return out, nil
}

// NetworkTermsOf returns the overrides of merchants, by merchant.
func (s *Store) NetworkTermsOf(ctx context.Context, merchants []uuid.UUID) (map[uuid.UUID][]pay.NetworkTerms, error) {
	var rows []pay.NetworkTerms
	err := s.Q.NewSelect().Model(&rows).ModelTableExpr("merchant_networks AS network_terms").
		Where("merchant_id = any(?::uuid[])", pg.Array(merchants)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read network terms: %w", err)
	}
	out := map[uuid.UUID][]pay.NetworkTerms{}
	for _, t := range rows {
		out[t.MerchantID] = append(out[t.MerchantID], t)
	}
	return out, nil
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
