package store

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"
)

// TreasuryRule says when the treasury moves the money of a token on a network. Amounts are in the token. A token without a rule
// is never moved by itself.
type TreasuryRule struct {
	Network, Token string
	SweepMin       decimal.Decimal  // a deposit address with less is left
	MaxFeePercent  decimal.Decimal  // of what a sweep moves
	Patience       time.Duration    // a sweep waits so long for a cheap hour; in whole microseconds
	HotFloor       decimal.Decimal  // below it sweeps do not wait
	HotTarget      decimal.Decimal  // so much stays when the rest goes to the cold address
	HotCeiling     *decimal.Decimal // above it the rest goes to the cold address; nil: nothing does
	Paused         bool
}

const ruleColumns = "network, token, sweep_min, max_fee_percent, hot_floor, hot_target, hot_ceiling, paused"

// ruleRow is a TreasuryRule as it is read.
type ruleRow struct {
	TreasuryRule `bun:",extend"`
	Micros       int64
}

// TreasuryRules returns all rules, by network and token.
func (s *Store) TreasuryRules(ctx context.Context) ([]TreasuryRule, error) {
	var rows []ruleRow
	err := s.Q.NewRaw("select "+ruleColumns+`, (extract(epoch from patience) * 1000000)::bigint as micros
		from treasury_rules order by network, token`).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read the rules of the treasury: %w", err)
	}
	out := make([]TreasuryRule, len(rows))
	for i := range rows {
		out[i] = rows[i].TreasuryRule
		out[i].Patience = time.Duration(rows[i].Micros) * time.Microsecond
	}
	return out, nil
}

// SetTreasuryRule writes the rule of its network and token, in place of an older one.
func (s *Store) SetTreasuryRule(ctx context.Context, r *TreasuryRule) error {
	_, err := s.Q.NewRaw("insert into treasury_rules ("+ruleColumns+`, patience)
		values (?, ?, ?, ?, ?, ?, ?, ?, ? * interval '1 microsecond')
		on conflict (network, token) do update set sweep_min = excluded.sweep_min, max_fee_percent = excluded.max_fee_percent,
			patience = excluded.patience, hot_floor = excluded.hot_floor, hot_target = excluded.hot_target, hot_ceiling = excluded.hot_ceiling,
			paused = excluded.paused, updated_at = now()`,
		r.Network, r.Token, r.SweepMin, r.MaxFeePercent, r.HotFloor, r.HotTarget, r.HotCeiling, r.Paused, r.Patience.Microseconds()).Exec(ctx)
	if err != nil {
		return fmt.Errorf("set a rule of the treasury: %w", err)
	}
	return nil
}

// RemoveTreasuryRule removes a rule; false when there was none.
func (s *Store) RemoveTreasuryRule(ctx context.Context, network, token string) (bool, error) {
	res, err := s.Q.NewRaw("delete from treasury_rules where network = ? and token = ?", network, token).Exec(ctx)
	return changed(res, err, "remove a rule of the treasury")
}
