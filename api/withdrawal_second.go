package api

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// second returns why a second person confirms the withdrawals of a form: one of them, or all together, are worth more than a rule of the
// merchant allows one person. Empty for none. What is taken from the balance counts, by the prices in use, and what nobody can price is
// above every rule. A form of which a part waits already waits as a whole.
func (w *Withdrawals) second(ctx context.Context, catalogue *Catalogue, asked []*pay.Withdrawal, found []Withdrawn) (why string, err error) {
	rules, err := w.Payouts.Store.SecondRules(ctx, asked[0].Merchant)
	if err != nil {
		return "", err
	}
	for _, rule := range rules {
		if worth, priced := worthOf(catalogue, found, rule.Fiat); !priced || worth.GreaterThan(rule.Above) {
			return fmt.Sprintf("worth more than %s %s", rule.Above, rule.Fiat), nil
		}
	}
	return w.Payouts.Store.SecondAsked(ctx, asked[0].Merchant, asked[0].Form)
}

// worthOf is what withdrawals take from the balance in a fiat; false when one of them has no price.
func worthOf(catalogue *Catalogue, found []Withdrawn, fiat string) (sum decimal.Decimal, priced bool) {
	for _, f := range found {
		if f.Payout == nil {
			continue
		}
		price, ok := catalogue.Price(f.Payout.Token, fiat)
		if !ok {
			return sum, false
		}
		sum = sum.Add(f.Payout.Debit.Mul(price))
	}
	return sum, true
}

// askSecond notes that the payouts of a form wait, before they are recorded.
func (w *Withdrawals) askSecond(ctx context.Context, asked *pay.Withdrawal, why string, items []store.PayoutItem) error {
	if why == "" || len(items) == 0 {
		return nil
	}
	payouts := make([]*pay.Payout, len(items))
	for i := range items {
		payouts[i] = items[i].Payout
	}
	return w.Payouts.Store.AskSecond(ctx, asked.Form, asked.Email, why, payouts)
}

// Allowed returns why a withdrawal that waits may not be confirmed: the merchant has come to withdraw to the addresses of its book only,
// and this one is not usable there.
func (w *Withdrawals) Allowed(ctx context.Context, p *pay.Payout) error {
	book, err := w.bookOf(ctx, p.MerchantID)
	if err != nil {
		return err
	}
	if problem := (&payoutChecks{book: book, addresses: w.Payouts.Addresses}).inBook(p); problem != nil {
		return problem
	}
	return nil
}
