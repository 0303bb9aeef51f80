package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// PayoutLimit is the amount above which payouts of a merchant wait for an operator: of an asset, or worth in a fiat.
type PayoutLimit struct {
	MerchantID uuid.UUID       `bun:",pk" json:"merchant_id"`
	Unit       string          `bun:",pk" json:"unit"`
	Above      decimal.Decimal `json:"above"`
}

// PayoutLimits lists a merchant's limits.
func (s *Store) PayoutLimits(ctx context.Context, merchant uuid.UUID) ([]PayoutLimit, error) {
	out := []PayoutLimit{}
	if err := s.Q.NewSelect().Model(&out).Where("merchant_id = ?", merchant).Order("unit").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read payout limits: %w", err)
	}
	return out, nil
}

// SavePayoutLimit sets a limit in place of the one that was.
func (s *Store) SavePayoutLimit(ctx context.Context, l *PayoutLimit) error {
	_, err := s.Q.NewInsert().Model(l).On("conflict (merchant_id, unit) do update").Set("above = excluded.above").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save payout limit: %w", err)
	}
	return nil
}

// DropPayoutLimit removes a limit; false when there was none.
func (s *Store) DropPayoutLimit(ctx context.Context, merchant uuid.UUID, unit string) (bool, error) {
	res, err := s.Q.NewRaw("delete from payout_limits where merchant_id = ? and unit = ?", merchant, unit).Exec(ctx)
	return changed(res, err, "drop payout limit")
}

// LimitedMerchants returns the merchants some of whose payouts may wait for approval: they have a limit, are suspended, or owe.
func (s *Store) LimitedMerchants(ctx context.Context) (map[uuid.UUID]bool, error) {
	var rows []uuid.UUID
	err := s.Q.NewRaw(`select merchant_id from payout_limits union select id from merchants where suspended
		union select merchant_id from debts where owed > 0`).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read limited merchants: %w", err)
	}
	out := make(map[uuid.UUID]bool, len(rows))
	for _, id := range rows {
		out[id] = true
	}
	return out, nil
}

// OverLimits says which limit payouts are above without an operator's approval; those that wait for none, such as one that is
// to be stopped, are missing. What counts for signatures is what BeginSigning says.
func (s *Store) OverLimits(ctx context.Context, payouts []uuid.UUID) (map[uuid.UUID]string, error) {
	out := map[uuid.UUID]string{}
	err := s.preparedRows(ctx, "compare payouts with their limits", func(rows *sql.Rows) error {
		var id uuid.UUID
		var why string
		if err := rows.Scan(&id, &why); err != nil {
			return err
		}
		out[id] = why
		return nil
	}, "select id, why from payouts_over_limits($1)", payouts)
	return out, err
}
