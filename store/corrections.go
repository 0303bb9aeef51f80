package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"
)

// Corrections is what operators have corrected on a network, or explained of it, by asset: more is what the books have gained.
type Corrections map[string]decimal.Decimal

// Corrections returns what was corrected on each network.
func (s *Store) Corrections(ctx context.Context) (map[string]Corrections, error) {
	var rows []struct {
		Network, Asset string
		Amount         decimal.Decimal
	}
	if err := s.Q.NewRaw("select network, asset, amount from treasury_corrections").Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read corrections: %w", err)
	}
	out := map[string]Corrections{}
	for _, r := range rows {
		if out[r.Network] == nil {
			out[r.Network] = Corrections{}
		}
		out[r.Network][r.Asset] = r.Amount
	}
	return out, nil
}

// OpenDifference is the difference of an asset on a network that is still to be corrected.
type OpenDifference struct {
	Looked bool            // a whole look at the network has ended; else the rest is zero
	Found  decimal.Decimal // what the network held beyond the books then; less than zero: what it lacked
	Since  decimal.Decimal // what was corrected that the books of that look did not have
}

// Left returns the part that no correction has made good.
func (d OpenDifference) Left() decimal.Decimal { return d.Found.Sub(d.Since) }

// NoteCorrection adds to what is corrected of an asset on a network, and returns all of it. Nobody else corrects any of it until the
// transaction ends.
func (s *Store) NoteCorrection(ctx context.Context, network, asset string, amount decimal.Decimal) (all decimal.Decimal, err error) {
	err = s.Q.NewRaw(`insert into treasury_corrections as c (network, asset, amount) values (?, ?, ?)
		on conflict (network, asset) do update set amount = c.amount + excluded.amount returning amount`, network, asset, amount).Scan(ctx, &all)
	if err != nil {
		return all, fmt.Errorf("note a correction: %w", err)
	}
	return all, nil
}

// Correct notes that so much of an asset on a network is corrected, and lets nobody else correct any of it until the transaction
// ends. It returns what was left to correct before.
func (s *Store) Correct(ctx context.Context, network, asset string, amount decimal.Decimal) (open OpenDifference, err error) {
	all, err := s.NoteCorrection(ctx, network, asset, amount)
	if err != nil {
		return open, err
	}
	var found, corrected string
	err = s.Q.NewRaw("select found, corrected from reconcile_looks where network = ? and looked_at is not null", network).
		Scan(ctx, &found, &corrected)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return open, nil
	case err != nil:
		return open, fmt.Errorf("read the look at %s: %w", network, err)
	}
	var differences []Difference
	var known Corrections
	if err = errors.Join(json.Unmarshal([]byte(found), &differences), json.Unmarshal([]byte(corrected), &known)); err != nil {
		return open, fmt.Errorf("read what was found on %s: %w", network, err)
	}
	open.Looked, open.Since = true, all.Sub(amount).Sub(known[asset])
	for _, d := range differences {
		if d.Asset == asset {
			got, err := decimal.NewFromString(d.Got)
			want, wrong := decimal.NewFromString(d.Want)
			if err = errors.Join(err, wrong); err != nil {
				return open, fmt.Errorf("read what was found of %s on %s: %w", asset, network, err)
			}
			open.Found = got.Sub(want)
		}
	}
	return open, nil
}
