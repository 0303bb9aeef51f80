package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pg"
)

// Holdings is what our addresses on a network held by a whole look, by asset.
type Holdings struct {
	Hot      map[string]decimal.Decimal // the hot wallet
	Cold     map[string]decimal.Decimal // the cold addresses together
	Deposits map[string]decimal.Decimal // all other used addresses together
	Staked   map[string]decimal.Decimal // of the hot wallet's, what it has staked
	Address  string                     // of the hot wallet, as people write it
	Height   int64                      // of the look
	SeenAt   time.Time                  // when the look began
}

// saveHoldings keeps what a network's whole look has found, in place of what the look before it found.
func (s *Store) saveHoldings(ctx context.Context, network string, h *Holdings) error {
	assets := slices.Sorted(maps.Keys(h.Hot))
	hot, cold, deposits, staked := make([]string, len(assets)), make([]string, len(assets)), make([]string, len(assets)), make([]string, len(assets))
	for i, asset := range assets {
		hot[i], cold[i], deposits[i] = h.Hot[asset].String(), h.Cold[asset].String(), h.Deposits[asset].String()
		staked[i] = h.Staked[asset].String()
	}
	_, err := s.Q.NewRaw(`with gone as (delete from wallet_holdings where network = ?0 and asset <> all(?1::text[]))
		insert into wallet_holdings as h (network, asset, kind, amount, address, height, seen_at)
		select ?0, x.asset, k.kind, k.amount::numeric, k.address, ?4, ?5
		from unnest(?1::text[], ?2::text[], ?3::text[], ?7::text[], ?8::text[]) as x(asset, hot, deposits, cold, staked),
			lateral (values ('hot', x.hot, ?6), ('deposits', x.deposits, ''), ('cold', x.cold, ''), ('staked', x.staked, '')) as k(kind, amount, address)
		on conflict (network, asset, kind) do update set amount = excluded.amount, address = excluded.address, height = excluded.height,
			seen_at = excluded.seen_at`,
		network, pg.Array(assets), pg.Array(hot), pg.Array(deposits), h.Height, h.SeenAt, h.Address, pg.Array(cold), pg.Array(staked)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep what %s holds: %w", network, err)
	}
	return nil
}
