package api

import (
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
)

// unlimited stands on the wire where there is no maximum.
const unlimited = "unlimited"

// limits holds the amount to the token's minimum and maximum; process_by decides the codes of a refusal
// (api-v1 §POST /v1/payin, Limit checks).
func (q *payinQuote) limits(by pay.ProcessBy, t *pay.Token) error {
	low := q.Amount.LessThan(t.MinReceipt)
	high := t.MaxReceipt.Valid && q.Amount.GreaterThan(t.MaxReceipt.Decimal)
	switch {
	case !low && !high:
		return nil
	case by == pay.ByCrypto:
		return q.outOfLimits(t)
	case low:
		return q.valueOut(t, "value_below_minimum", "below_minimum", "The value is below the token's minimum.")
	default:
		return q.valueOut(t, "value_above_maximum", "above_maximum", "The value is above the token's maximum.")
	}
}

func (q *payinQuote) outOfLimits(t *pay.Token) error {
	const message = "The amount is outside the limits of the token."
	e := pay.E(pay.Invalid, "amount_out_of_limits", message)
	e.Details = map[string]any{
		"message": message, "crypto_amount": q.Amount.String(), "crypto_currency": t.Symbol,
		"min_allowed": t.MinReceipt.String(), "max_allowed": orUnlimited(t.MaxReceipt), "process_by": string(pay.ByCrypto),
	}
	return e
}

// valueOut says the limits in fiat too: the minimum rounded up and the maximum cut, so both can be sent.
func (q *payinQuote) valueOut(t *pay.Token, code, reason, message string) error {
	price := pricing.Quote{Price: q.Price.Decimal}
	maxFiat := decimal.NullDecimal{Decimal: price.Worth(t.MaxReceipt.Decimal), Valid: t.MaxReceipt.Valid}
	e := pay.E(pay.Invalid, code, message)
	e.Details = map[string]any{
		"reason": reason, "crypto_currency": t.Symbol, "fiat_currency": q.Fiat,
		"fiat_amount": *q.FiatText, "crypto_amount": q.Amount.String(),
		"min_crypto": t.MinReceipt.String(), "max_crypto": orUnlimited(t.MaxReceipt),
		"min_fiat": price.Covers(t.MinReceipt).String(), "max_fiat": orUnlimited(maxFiat),
	}
	return e
}

func orUnlimited(limit decimal.NullDecimal) string {
	if !limit.Valid {
		return unlimited
	}
	return limit.Decimal.String()
}
