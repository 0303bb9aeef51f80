package store

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"
)

// Surplus is the amount of an asset held by a network beyond the books, including the part taken by operators'
// corrections.
type Surplus struct {
	Network, Asset string
	Known          decimal.Decimal // the most, by looks at final blocks
	Seen           decimal.Decimal // by a look at the block below
	Height         int64
	Hash           string // empty: no look waits for its block
}

// openSurpluses returns the recorded surpluses by network.
func (s *Store) openSurpluses(ctx context.Context) (map[string][]Surplus, error) {
	var rows []Surplus
	err := s.Q.NewRaw("select network, asset, known, seen, height, hash from open_surpluses order by network, asset").Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read open surpluses: %w", err)
	}
	out := map[string][]Surplus{}
	for _, r := range rows {
		out[r.Network] = append(out[r.Network], r)
	}
	return out, nil
}

// saveSurpluses keeps surpluses. Known never falls.
func (s *Store) saveSurpluses(ctx context.Context, all []Surplus) error {
	for _, o := range all {
		_, err := s.Q.NewRaw(`insert into open_surpluses as o (network, asset, known, seen, height, hash) values (?, ?, ?, ?, ?, ?)
			on conflict (network, asset) do update set known = greatest(o.known, excluded.known), seen = excluded.seen,
				height = excluded.height, hash = excluded.hash`, o.Network, o.Asset, o.Known, o.Seen, o.Height, o.Hash).Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep the surplus of %s on %s: %w", o.Asset, o.Network, err)
		}
	}
	return nil
}

// Unsettled returns the networks with something undone but still booked: a spend, or the end of a payout. They hold
// more or less than the books until it is mined again or a person has dealt with it. A payment of another amount than
// its open payout asks for is nothing undone: the books are compared without it (AmissSpent).
func (s *Store) Unsettled(ctx context.Context) (map[string]bool, error) {
	var names []string
	err := s.Q.NewRaw(`select network from unknown_spends where undone_at is not null
		union select network from contrary_transactions where arrived is null`).Scan(ctx, &names)
	if err != nil {
		return nil, fmt.Errorf("read where something is undone: %w", err)
	}
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out, nil
}
