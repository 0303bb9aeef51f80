package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/pay"
)

// UnclaimedTransfers lists what waits for the operator, oldest first (addendum §8).
func (s *Store) UnclaimedTransfers(ctx context.Context, limit int) ([]pay.Transfer, error) {
	var out []pay.Transfer
	err := s.Q.NewSelect().Model(&out).Where("unclaimed").Order("seen_at", "id").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list unclaimed transfers: %w", err)
	}
	return out, nil
}

// TransferForUpdate reads a transfer and keeps it from changing until the transaction ends.
func (s *Store) TransferForUpdate(ctx context.Context, id uuid.UUID) (*pay.Transfer, error) {
	t := new(pay.Transfer)
	err := s.Q.NewSelect().Model(t).Where("id = ?", id).For("update").Scan(ctx)
	return t, one(err, "transfer "+id.String())
}

// AssetOf answers the ledger's asset of a token on a network; a token that is not in the catalogue is its own asset.
func (s *Store) AssetOf(ctx context.Context, symbol, network string) (string, error) {
	var asset string
	err := s.Q.NewRaw("select coalesce((select balance_key from tokens where symbol = ?0 and network = ?1), ?0)", symbol, network).Scan(ctx, &asset)
	return asset, one(err, "asset of "+symbol)
}
