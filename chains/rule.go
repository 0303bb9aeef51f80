package chains

import (
	"slices"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// Rule says after how many confirmations a transfer is credited and final; the block itself is the first. Small amounts may be
// credited earlier, and are locked until they are final like all others.
type Rule struct {
	Credit, Final int
	ByAmount      []AmountRule               // the smallest amounts first; larger ones are credited by Credit
	ByAmountOf    map[uuid.UUID][]AmountRule // of merchants with a table of their own, in place of ByAmount
}

// AmountRule says when an amount worth up to UpTo is credited.
type AmountRule struct {
	UpTo  decimal.Decimal // in USD
	Depth pay.CreditDepth
}

// For returns when a merchant's payin worth so much in USD is credited.
func (r *Rule) For(merchant uuid.UUID, worth decimal.Decimal) pay.CreditDepth {
	for _, a := range r.table(merchant) {
		if !worth.GreaterThan(a.UpTo) {
			return a.Depth
		}
	}
	return pay.CreditByRule
}

// Later returns the depth further down the merchant's table, of two. A depth not in the table, since the table was changed,
// counts as the network's rule.
func (r *Rule) Later(merchant uuid.UUID, a, b pay.CreditDepth) pay.CreditDepth {
	table := r.table(merchant)
	place := func(d pay.CreditDepth) int {
		if i := slices.IndexFunc(table, func(row AmountRule) bool { return row.Depth == d }); i >= 0 {
			return i
		}
		return len(table)
	}
	later := max(place(a), place(b))
	if later == len(table) {
		return pay.CreditByRule
	}
	return table[later].Depth
}

// Early reports whether anything is credited before the network's rule.
func (r *Rule) Early() bool { return len(r.ByAmount) > 0 || len(r.ByAmountOf) > 0 }

func (r *Rule) table(merchant uuid.UUID) []AmountRule {
	if own, has := r.ByAmountOf[merchant]; has {
		return own
	}
	return r.ByAmount
}
