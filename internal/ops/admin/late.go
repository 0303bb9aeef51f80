package admin

import (
	"database/sql"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// longestGrace is how long a quote may hold after its payin's time, unless it holds for ever.
const longestGrace = 366 * 24 * time.Hour

// applyLate changes until when the quotes of a merchant's payins hold (addendum §8).
func (c MerchantChange) applyLate(m *pay.Merchant) error {
	if c.LateGrace != nil {
		grace, err := graceOf(*c.LateGrace)
		if err != nil {
			return at("late grace", err)
		}
		m.Grace = grace
	}
	if c.LateBound == nil {
		return nil
	}
	if *c.LateBound == "" {
		m.Bound = decimal.NullDecimal{}
		return nil
	}
	const boundScale = 4
	bound, err := percent(*c.LateBound, boundScale)
	if err != nil {
		return at("late bound", err)
	}
	m.Bound = decimal.NewNullDecimal(bound)
	return nil
}

// graceOf reads a grace into seconds. It is unset for "", for ever.
func graceOf(text string) (seconds sql.NullInt64, err error) {
	if text == "" {
		return seconds, nil
	}
	grace, err := time.ParseDuration(text)
	if err != nil || grace < 0 || grace > longestGrace {
		return seconds, misread("%q is not a time from 0s to 8784h, such as 24h or 90m", text)
	}
	return sql.NullInt64{Int64: int64(grace / time.Second), Valid: true}, nil
}

// graceText writes a grace as applyLate reads it; nil for ever.
func graceText(seconds sql.NullInt64) *string {
	if !seconds.Valid {
		return nil
	}
	return new((time.Duration(seconds.Int64) * time.Second).String())
}
