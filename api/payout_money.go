package api

import (
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/ledger"
)

func (c *payoutChecks) acceptFiat(d *payoutDraft) *pay.Error {
	if d.fiat == "" {
		d.payout.FiatCurrency = c.catalogue.FiatOf(&c.caller.Merchant)
		return nil
	}
	fiat, ok := c.catalogue.Fiat(d.fiat)
	if !ok {
		return errFiatRefused
	}
	d.payout.FiatCurrency = fiat.Code
	return nil
}

// convert turns an amount in fiat into the token at the current price.
func (c *payoutChecks) convert(d *payoutDraft, asked decimal.Decimal) *pay.Error {
	if problem := c.acceptFiat(d); problem != nil {
		return problem
	}
	amount, ok := c.catalogue.CryptoFor(d.token, d.payout.FiatCurrency, asked)
	switch {
	case !ok:
		return errNoPrice
	case amount.IsZero():
		return errFiatAmount
	}
	d.amount = amount
	return nil
}

// wallet keeps the address as it was sent, for the integrator to find it again; the signer canonicalises it.
func (c *payoutChecks) wallet(d *payoutDraft) *pay.Error {
	return payableAt(c.addresses, c.catalogue, d.payout.Network, d.payout.Wallet)
}

// feesAndLimits splits the amount by the fee rules. The minimum holds for the recipient's part, the maximum for the amount
// (addendum §6).
func (c *payoutChecks) feesAndLimits(d *payoutDraft) *pay.Error {
	p, t := &d.payout, d.token
	if t.MaxWithdrawal.Valid && d.amount.GreaterThan(t.MaxWithdrawal.Decimal) {
		return limitsOf(t)
	}
	fee, ok := c.catalogue.NetworkFee(t)
	if !ok {
		return errNoPrice
	}
	terms := c.caller.Terms(p.Network)
	p.NetworkFee, p.PaysNetworkFee, p.PercentRate = fee, terms.PaysPaymentNetworkFee, terms.PaymentRate
	if c.panel {
		p.PaysNetworkFee, p.PercentRate = terms.PaysWithdrawalNetworkFee, terms.WithdrawalRate
	}
	if ledger.PayoutFees(p, d.amount, t.Precision) != nil {
		return ledger.ErrFeesExceedAmount
	}
	if p.Amount.LessThan(t.MinWithdrawal) {
		return limitsOf(t)
	}
	c.price(d)
	return nil
}

func limitsOf(t *pay.Token) *pay.Error {
	return errLimits.With("crypto_currency", t.Symbol).With("min_withdrawal", t.MinWithdrawal.String()).
		With("max_withdrawal", orUnlimited(t.MaxWithdrawal))
}

// price values the payout: in its fiat for the answer, in USD for the daily limit of a key with one.
func (c *payoutChecks) price(d *payoutDraft) {
	p := &d.payout
	if price, ok := c.catalogue.Price(p.Token, p.FiatCurrency); ok {
		p.Price = decimal.NewNullDecimal(price)
		p.FiatAmount = decimal.NewNullDecimal(pricing.Quote{Price: price}.Worth(p.Amount))
	}
	if !c.caller.Key.DailyLimitUSD.Valid {
		return
	}
	if price, ok := c.catalogue.Price(p.Token, "USD"); ok {
		d.usd = pricing.Quote{Price: price}.Covers(p.Debit)
	}
}
