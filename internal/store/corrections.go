package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"
)

// Corrections is the operators' changes to the books of one network.
type Corrections struct {
	Amounts map[string]decimal.Decimal `json:"amounts"` // by asset, the sum of corrections: above zero the books have gained
	Taken   map[string]decimal.Decimal `json:"taken"`   // by asset, the sum taken of a surplus: the corrections above zero alone
	Decided int64                      `json:"decided"` // how many decisions there were on spends of the hot wallet, each undoing included
}

// Corrections returns the corrections and the number of decisions of each network.
func (s *Store) Corrections(ctx context.Context) (map[string]Corrections, error) {
	var rows []struct {
		Network, Asset string
		Amount, Taken  decimal.Decimal
		Times          int64
	}
	err := s.Q.NewRaw(`select network, coalesce(c.asset, '') as asset, coalesce(c.amount, 0) as amount, coalesce(c.taken, 0) as taken, coalesce(d.times, 0) as times
		from treasury_corrections c full join spend_decisions d using (network)`).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read corrections: %w", err)
	}
	out := map[string]Corrections{}
	for _, r := range rows {
		c, ok := out[r.Network]
		if !ok {
			c = Corrections{Amounts: map[string]decimal.Decimal{}, Taken: map[string]decimal.Decimal{}, Decided: r.Times}
		}
		if r.Asset != "" {
			c.Amounts[r.Asset], c.Taken[r.Asset] = r.Amount, r.Taken
		}
		out[r.Network] = c
	}
	return out, nil
}

// OpenDifference is the difference of an asset on a network still to be corrected.
type OpenDifference struct {
	Looked  bool            // a whole look at the network has ended; else the rest is zero
	Decided bool            // a spend of the hot wallet was decided on, or a decision undone, since that look began: the look tells nothing, and the rest is zero
	Found   decimal.Decimal // the network's amount less the books' then; below zero: the network lacked it
	Since   decimal.Decimal // the corrections missing from the books of that look
}

// Left returns the part not yet made good by corrections.
func (d OpenDifference) Left() decimal.Decimal { return d.Found.Sub(d.Since) }

// NoteDecision notes a decision on a spend of a hot wallet, or its undoing. A look whose books lack the decision must
// not say what to correct there. The next look is due now, or after the rest of one under way. Nobody corrects anything
// on the network until the transaction ends.
func (s *Store) NoteDecision(ctx context.Context, network string) error {
	if _, err := s.decisions(ctx, network, 1); err != nil {
		return err
	}
	return s.LookAgain(ctx, network)
}

// decisions adds to the number of decisions on spends of a network's hot wallet, locks it, and returns the sum.
func (s *Store) decisions(ctx context.Context, network string, more int64) (all int64, err error) {
	err = s.Q.NewRaw(`insert into spend_decisions as d (network, times) values (?, ?)
		on conflict (network) do update set times = d.times + excluded.times returning times`, network, more).Scan(ctx, &all)
	if err != nil {
		return 0, fmt.Errorf("note a decision: %w", err)
	}
	return all, nil
}

// Correct notes a correction of an asset on a network, and returns the difference left to correct before it. Until the
// transaction ends nobody else corrects any of it, or decides on a spend of the hot wallet.
func (s *Store) Correct(ctx context.Context, network, asset string, amount decimal.Decimal) (open OpenDifference, err error) {
	decided, err := s.decisions(ctx, network, 0)
	if err != nil {
		return open, err
	}
	var all decimal.Decimal
	err = s.Q.NewRaw(`insert into treasury_corrections as c (network, asset, amount, taken) values (?0, ?1, ?2, greatest(?2::numeric, 0))
		on conflict (network, asset) do update set amount = c.amount + excluded.amount, taken = c.taken + excluded.taken
		returning amount`, network, asset, amount).Scan(ctx, &all)
	if err != nil {
		return open, fmt.Errorf("note a correction: %w", err)
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
	open.Looked, open.Decided = true, known.Decided != decided
	if open.Decided {
		return open, nil
	}
	open.Since = all.Sub(amount).Sub(known.Amounts[asset])
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
