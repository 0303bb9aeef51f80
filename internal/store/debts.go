package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Debt is the debt of an account: its available balance of an asset is below zero by Owed (addendum §6).
type Debt struct {
	MerchantID uuid.UUID
	Merchant   string // its name
	Asset      string
	Owed       decimal.Decimal
	AgeMS      int64 // since it began to owe
	All        int64 // how many accounts owe
}

// Debts lists accounts in debt, at most so many, the longest in debt first.
func (s *Store) Debts(ctx context.Context, most int) ([]Debt, error) {
	var out []Debt
	err := s.Q.NewRaw(`select d.merchant_id, m.name as merchant, d.asset, d.owed, count(*) over () as all,
			greatest(0, extract(epoch from now() - d.changed_at) * 1000)::bigint as age_ms
		from debts d join merchants m on m.id = d.merchant_id where d.owed > 0 order by d.changed_at, d.merchant_id, d.asset limit ?`,
		most).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read what accounts owe: %w", err)
	}
	return out, nil
}

// DebtVitals is how many accounts owe an asset, and how much together, for a gauge.
type DebtVitals struct {
	Asset    string
	Accounts int64
	Owed     float64
}

// DebtVitals counts the accounts in debt, by asset.
func (s *Store) DebtVitals(ctx context.Context) ([]DebtVitals, error) {
	var out []DebtVitals
	err := s.Q.NewRaw(`select asset, count(*) as accounts, sum(owed)::float8 as owed from debts where owed > 0 group by asset order by asset`).
		Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read the vitals of debts: %w", err)
	}
	return out, nil
}
