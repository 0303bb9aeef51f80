package pricing

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// SetLate notes the worth of a credited transfer that came after its payin's time, and its weight towards completing a payin by
// fiat_amount (addendum §8). The quote holds within the terms. Otherwise the transfer weighs as much as its worth buys at the
// quote, and nothing without a price. A worth or weight noted once stays, even if the transfer is mined again.
func (b *Rates) SetLate(p *pay.Payin, t *pay.Transfer, terms pay.LateTerms, precision int) {
	if !p.Late(t) || t.Worth.Valid || t.Weight.Valid {
		return
	}
	now, known := b.Price(p.Token, p.FiatCurrency)
	if known {
		t.Worth = decimal.NewNullDecimal(now.Worth(t.Counted))
	}
	if p.ProcessBy != pay.ByFiat || quoteHolds(p, t.Arrived(), terms, now.Price) {
		return
	}
	t.Weight = decimal.NewNullDecimal(decimal.Zero)
	if known && p.Price.Valid {
		weight, _ := t.Counted.Mul(now.Price).QuoRem(p.Price.Decimal, int32(precision)) //nolint:gosec // a precision is at most 36
		t.Weight.Decimal = weight
	}
}

// quoteHolds reports whether a late transfer is still counted at the payin's quote. price is the price of now, or zero if
// unknown.
func quoteHolds(p *pay.Payin, arrived time.Time, terms pay.LateTerms, price decimal.Decimal) bool {
	if terms.Grace.Valid && arrived.After(p.ExpiresAt.Add(time.Duration(terms.Grace.Int64)*time.Second)) {
		return false
	}
	if !terms.Bound.Valid {
		return true
	}
	moved := price.Sub(p.Price.Decimal).Abs().Mul(decimal.NewFromInt(100))
	return price.IsPositive() && p.Price.Valid && moved.LessThanOrEqual(p.Price.Decimal.Mul(terms.Bound.Decimal))
}
