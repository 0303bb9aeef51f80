package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"
)

// Balance is a merchant's money of one asset; Locked is credited but not yet final.
type Balance struct {
	Asset     string
	Available decimal.Decimal
	Locked    decimal.Decimal
}

// Total is available and locked together (addendum §6).
func (b Balance) Total() decimal.Decimal { return b.Available.Add(b.Locked) }

// Balances returns every asset that the merchant ever moved, by asset.
func Balances(ctx context.Context, db bun.IDB, merchant uuid.UUID) (map[string]Balance, error) {
	var rows []Balance
	err := db.NewRaw("select asset, available, locked from balances where merchant_id = ?", merchant).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read balances: %w", err)
	}
	out := make(map[string]Balance, len(rows))
	for _, b := range rows {
		out[b.Asset] = b
	}
	return out, nil
}

// BalancesOf is Balances of several merchants in one prepared statement, in their order. It looks for each by itself, however
// small the table was when the statement was planned.
func BalancesOf(ctx context.Context, db *bun.DB, merchants []uuid.UUID) (found []map[string]Balance, err error) {
	ids := make([][16]byte, len(merchants)) // the driver writes them fastest
	found = make([]map[string]Balance, len(merchants))
	for i, m := range merchants {
		ids[i], found[i] = m, map[string]Balance{}
	}
	rows, err := db.DB.QueryContext(ctx, `select m.place, b.asset, b.available, b.locked
		from unnest($1::uuid[]) with ordinality as m(id, place),
		lateral (select asset, available, locked from balances where merchant_id = m.id offset 0) b`, pgx.QueryExecModeCacheStatement, ids)
	if err != nil {
		return nil, fmt.Errorf("read balances: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var place int
		var b Balance
		if err := rows.Scan(&place, &b.Asset, &b.Available, &b.Locked); err != nil {
			return nil, fmt.Errorf("read balance: %w", err)
		}
		found[place-1][b.Asset] = b
	}
	return found, rows.Err()
}
