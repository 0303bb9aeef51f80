package pay

import (
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// Token is one currency on one network, with the operator's rules for it (api-v1 §Account summary, accepted_tokens).
type Token struct {
	Symbol        string `bun:",pk"`
	Network       string `bun:",pk"`
	BalanceKey    string // the ledger's asset, across networks
	Variant       string
	Contract      string // empty for the native coin
	Decimals      int    // on chain
	Precision     int    // places in the ledger: min(decimals, 8) (addendum §6)
	Memo          bool   // payments to it carry a destination memo
	Active        bool
	Deposits      bool
	Withdrawals   bool
	MinReceipt    decimal.Decimal
	MaxReceipt    decimal.NullDecimal // unset = unlimited
	MinWithdrawal decimal.Decimal
	MaxWithdrawal decimal.NullDecimal
	NetworkFee    decimal.Decimal // in FeeCurrency
	FeeCurrency   string
}

// Fiat is an accepted fiat currency.
type Fiat struct {
	Code     string `bun:",pk"`
	Name     string
	Symbol   string
	Accepted bool
}

// FiatOf returns the fiat of a merchant's request without one: the preferred one while it is accepted, else USD (api-v1 §Payout
// request object).
func FiatOf(m *Merchant, known []Fiat) string {
	preferred := slices.IndexFunc(known, func(f Fiat) bool { return f.Accepted && strings.EqualFold(f.Code, m.PreferredFiat) })
	if preferred < 0 {
		return "USD"
	}
	return known[preferred].Code
}

// Price is a stored quote: one Base is worth Price Quote. A zero price means none.
type Price struct {
	Base      string `bun:",pk"`
	Quote     string `bun:",pk"`
	Price     decimal.Decimal
	Source    string
	Pinned    bool // set by the operator; sources do not change it
	UpdatedAt time.Time
}
