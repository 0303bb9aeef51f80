package ledger

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/pg"
)

// Balance is a merchant's money of one asset; Locked is credited but not yet final.
type Balance struct {
	Asset     string
	Available decimal.Decimal
	Locked    decimal.Decimal
}

// Total is available and locked together (addendum §6).
func (b Balance) Total() decimal.Decimal { return b.Available.Add(b.Locked) }

// Balances returns every asset ever moved by the merchant, by asset.
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
	err = pg.Rows(ctx, db, "read balances", func(row *sql.Rows) error {
		var place int
		var b Balance
		if err := row.Scan(&place, &b.Asset, &b.Available, &b.Locked); err != nil {
			return err
		}
		found[place-1][b.Asset] = b
		return nil
	}, `select m.place, b.asset, b.available, b.locked
		from unnest($1::uuid[]) with ordinality as m(id, place),
		lateral (select asset, available, locked from balances where merchant_id = m.id offset 0) b`, ids)
	return found, err
}
