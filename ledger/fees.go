package ledger

import (
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// ErrFeesExceedAmount says: with feetakenfromamount 1 the fees eat the whole amount (addendum §6).
var ErrFeesExceedAmount = pay.E(pay.Invalid, "amount_does_not_cover_fees", "The fees are as large as the amount.")

// PayoutFees sets Amount, Debit and RateFee of p from the amount A selected by its request, already cut to precision. p
// carries PercentRate, NetworkFee, PaysNetworkFee and FeeFromAmount. The rules are addendum §6.
func PayoutFees(p *pay.Payout, a decimal.Decimal, precision int) error {
	p.RateFee = a.Mul(p.PercentRate).Shift(-2).Truncate(int32(precision)) //nolint:gosec // a precision is at most 8
	fees := p.RateFee.Add(paidNetworkFee(p))
	if !p.FeeFromAmount {
		p.Amount, p.Debit = a, a.Add(fees)
		return nil
	}
	p.Amount, p.Debit = a.Sub(fees), a
	if !p.Amount.IsPositive() {
		return ErrFeesExceedAmount
	}
	return nil
}

// CreditFees returns the rate fee and network fee of a credit of amount: the rate fee is cut to the precision, the
// network fee never takes the credit below zero (addendum §6).
func CreditFees(amount, ratePercent, networkFee decimal.Decimal, precision int) (rate, network decimal.Decimal) {
	rate = amount.Mul(ratePercent).Shift(-2).Truncate(int32(precision)) //nolint:gosec // a precision is at most 8
	return rate, decimal.Max(decimal.Zero, decimal.Min(networkFee, amount.Sub(rate)))
}
