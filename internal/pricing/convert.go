package pricing

import (
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// FiatPlaces is how many decimals a computed fiat amount has (api-v1 §Payin creation response).
const FiatPlaces = 8

// Cut cuts an amount to a precision; nothing is rounded (addendum §6).
func Cut(amount decimal.Decimal, precision int) decimal.Decimal {
	return amount.Truncate(int32(precision)) //nolint:gosec // a precision is at most 36
}

// Raise rounds an amount up to a precision: a customer asked for so much has not been asked for too little.
func Raise(amount decimal.Decimal, precision int) decimal.Decimal {
	return amount.RoundUp(int32(precision)) //nolint:gosec // a precision is at most 36
}

// Buys returns how much of a token fiat buys at the quote, cut to the precision. The quote is fiat for one token and above
// zero, as every answer of a Rates is.
func (q Quote) Buys(fiat decimal.Decimal, precision int) decimal.Decimal {
	amount, _ := fiat.QuoRem(q.Price, int32(precision)) //nolint:gosec // a precision is at most 36
	return amount
}

// Worth returns the value of an amount at the quote, cut to FiatPlaces.
func (q Quote) Worth(amount decimal.Decimal) decimal.Decimal {
	return Cut(amount.Mul(q.Price), FiatPlaces)
}

// Covers returns what fiat buys at least an amount at the quote: its value, rounded up at FiatPlaces.
func (q Quote) Covers(amount decimal.Decimal) decimal.Decimal {
	return amount.Mul(q.Price).RoundUp(FiatPlaces)
}

// Convert returns an amount of one currency in another, cut to the precision; zero and false when no price is known. The
// division comes last, so an exact result stays exact.
func (b *Rates) Convert(amount decimal.Decimal, from, to string, precision int) (decimal.Decimal, bool) {
	r, ok := b.find(from, to)
	if !ok {
		return decimal.Zero, false
	}
	out, _ := amount.Mul(r.over).QuoRem(r.under, int32(precision)) //nolint:gosec // a precision is at most 36
	return out, true
}

// FeeIn returns a token's network fee in the token itself, rounded up at its precision; zero and false when no price tells
// (addendum §6).
func (b *Rates) FeeIn(t *pay.Token) (decimal.Decimal, bool) {
	precision := int32(t.Precision) //nolint:gosec // a precision is at most 8
	if t.FeeCurrency == t.Symbol || t.NetworkFee.IsZero() {
		return t.NetworkFee.RoundUp(precision), true
	}
	r, ok := b.find(t.FeeCurrency, t.Symbol)
	if !ok {
		return decimal.Zero, false
	}
	fee, rest := t.NetworkFee.Mul(r.over).QuoRem(r.under, precision)
	if rest.IsPositive() {
		fee = fee.Add(decimal.New(1, -precision))
	}
	return fee, true
}
