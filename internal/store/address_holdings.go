package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/internal/pg"
)

// Held is the amounts on addresses, by address and asset.
type Held map[string]map[string]decimal.Decimal

// Addresses returns the addresses in order.
func (h Held) Addresses() []string { return slices.Sorted(maps.Keys(h)) }

// OldAddresses returns the addresses with holdings kept by an earlier look at a network, after the given one, in order.
func (s *Store) OldAddresses(ctx context.Context, network, after string, limit int) ([]string, error) {
	var out []string
	err := s.Q.NewRaw("select distinct address from address_holdings where network = ? and address > ? order by address limit ?",
		network, after, limit).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read old addresses: %w", err)
	}
	return out, nil
}

// HeldElsewhere returns by asset the amounts last kept for the addresses of a network, except the given addresses.
func (s *Store) HeldElsewhere(ctx context.Context, network string, without []string) (map[string]decimal.Decimal, error) {
	var rows []struct {
		Asset  string
		Amount decimal.Decimal
	}
	err := s.Q.NewRaw(`select asset, sum(amount) as amount from address_holdings h
		where network = ? and not exists (select from unnest(?::text[]) as w(address) where w.address = h.address)
		group by asset`, network, pg.Array(without)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read what addresses held: %w", err)
	}
	out := make(map[string]decimal.Decimal, len(rows))
	for _, r := range rows {
		out[r.Asset] = r.Amount
	}
	return out, nil
}

// saveHeld keeps the amounts on addresses of a network. It does not write a row again with the same amount.
func (s *Store) saveHeld(ctx context.Context, network string, held Held) error {
	if len(held) == 0 {
		return nil
	}
	var addresses, assets, amounts []string
	for _, address := range held.Addresses() {
		for _, asset := range slices.Sorted(maps.Keys(held[address])) {
			addresses, assets = append(addresses, address), append(assets, asset)
			amounts = append(amounts, held[address][asset].String())
		}
	}
	_, err := s.Q.NewRaw(`insert into address_holdings as h (network, address, asset, amount)
		select ?, x.address, x.asset, x.amount::numeric from unnest(?::text[], ?::text[], ?::text[]) as x(address, asset, amount)
		on conflict (network, address, asset) do update set amount = excluded.amount where h.amount <> excluded.amount`,
		network, pg.Array(addresses), pg.Array(assets), pg.Array(amounts)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep what addresses of %s hold: %w", network, err)
	}
	return nil
}
