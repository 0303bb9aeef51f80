package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/pg"
)

// pastBalances finds a merchant's kinds of entries, and then the last entry of each kind before each moment. Both are look-ups of the index
// postings_filtered. The last movement of the latest of these entries has the balance.
const pastBalances = `with recursive kinds as (
		(select coalesce(network, '') as network, asset, types from postings
			where merchant_id = ?0 and types is not null order by coalesce(network, ''), asset, types limit 1)
		union all
		select n.network, n.asset, n.types from kinds k, lateral (
			select coalesce(p.network, '') as network, p.asset, p.types from postings p
			where p.merchant_id = ?0 and p.types is not null and (coalesce(p.network, ''), p.asset, p.types) > (k.network, k.asset, k.types)
			order by coalesce(p.network, ''), p.asset, p.types limit 1) n),
	lasts as (
		select distinct on (k.asset, t.place) k.asset, t.place, e.id
		from kinds k, unnest(?2::timestamptz[]) with ordinality t(moment, place), lateral (
			select p.id, p.created_at from postings p
			where p.merchant_id = ?0 and p.types is not null and coalesce(p.network, '') = k.network and p.asset = k.asset and p.types = k.types
				and p.created_at < t.moment
			order by p.created_at desc, p.id desc limit 1) e
		where k.asset = any(?1::text[])
		order by k.asset, t.place, e.created_at desc, e.id desc)
	select l.asset, l.place, m.balance_after as balance from lasts l, lateral (
		select p.balance_after from postings p where p.id between l.id and l.id | 15 and p.movement is not null order by p.id desc limit 1) m`

// Closings returns a merchant's balances of assets, available and locked together, as they stood just before each moment. An asset's
// list has one balance for each moment, zero before the first movement (docs/decisions/0093-plots-of-balances.md).
func Closings(ctx context.Context, db bun.IDB, merchant uuid.UUID, assets []string, moments []time.Time) (map[string][]decimal.Decimal, error) {
	var found []struct {
		Asset   string
		Place   int
		Balance decimal.Decimal
	}
	err := db.NewRaw(pastBalances, merchant, pg.Array(assets), pg.Array(moments)).Scan(ctx, &found)
	if err != nil {
		return nil, fmt.Errorf("read past balances: %w", err)
	}
	out := make(map[string][]decimal.Decimal, len(assets))
	for _, a := range assets {
		out[a] = make([]decimal.Decimal, len(moments))
	}
	for _, f := range found {
		out[f.Asset][f.Place-1] = f.Balance
	}
	return out, nil
}
