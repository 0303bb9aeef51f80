package admin

import (
	"context"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// rateScale is how many decimals a rate in percent keeps.
const rateScale = 6

// SetRates changes a merchant's terms by their names on the wire (api-v1 §Account summary): the merchant's own, or those
// on one network, where "inherit" takes an override back.
func (a *Admin) SetRates(ctx context.Context, merchant uuid.UUID, network string, fields Fields) (*Merchant, error) {
	work := func(_ *store.Store, m *pay.Merchant) error { return fields.apply(ownRates(&m.Terms)) }
	if network != "" {
		n, ok := pay.NetworkCalled(network)
		if !ok {
			return nil, refuse("there is no network %q", network)
		}
		work = func(tx *store.Store, m *pay.Merchant) error { return fields.override(ctx, tx, m.ID, n.Name) }
	}
	var view *Merchant
	err := a.changeMerchant(ctx, "rates.set", merchant, work, &view)
	return view, err
}

func ownRates(t *pay.Terms) setters {
	return setters{
		"payment_rate":                     setPercent(&t.PaymentRate, rateScale),
		"receipt_rate":                     setPercent(&t.ReceiptRate, rateScale),
		"deposit_rate":                     setPercent(&t.DepositRate, rateScale),
		"withdrawal_rate":                  setPercent(&t.WithdrawalRate, rateScale),
		"user_pays_payment_network_fee":    setSwitch(&t.PaysPaymentNetworkFee),
		"user_pays_receipt_network_fee":    setSwitch(&t.PaysReceiptNetworkFee),
		"user_pays_deposit_network_fee":    setSwitch(&t.PaysDepositNetworkFee),
		"user_pays_withdrawal_network_fee": setSwitch(&t.PaysWithdrawalNetworkFee),
	}
}

// override changes a merchant's terms on one network.
func (f Fields) override(ctx context.Context, tx *store.Store, merchant uuid.UUID, network string) error {
	all, err := tx.NetworkTerms(ctx, merchant)
	if err != nil {
		return err
	}
	t := &pay.NetworkTerms{MerchantID: merchant, Network: network}
	for i := range all {
		if all[i].Network == network {
			t = &all[i]
		}
	}
	if err := f.apply(networkRates(t)); err != nil {
		return err
	}
	return tx.SaveNetworkTerms(ctx, t)
}

func networkRates(t *pay.NetworkTerms) setters {
	return setters{
		"payment_rate":                     overrideRate(&t.PaymentRate),
		"receipt_rate":                     overrideRate(&t.ReceiptRate),
		"deposit_rate":                     overrideRate(&t.DepositRate),
		"withdrawal_rate":                  overrideRate(&t.WithdrawalRate),
		"user_pays_payment_network_fee":    overrideFlag(&t.PaysPaymentNetworkFee),
		"user_pays_receipt_network_fee":    overrideFlag(&t.PaysReceiptNetworkFee),
		"user_pays_deposit_network_fee":    overrideFlag(&t.PaysDepositNetworkFee),
		"user_pays_withdrawal_network_fee": overrideFlag(&t.PaysWithdrawalNetworkFee),
	}
}

func inherits(text string) bool { return text == "" || text == "inherit" || text == "null" }

func overrideRate(to *decimal.NullDecimal) func(string) error {
	return func(text string) error {
		if inherits(text) {
			*to = decimal.NullDecimal{}
			return nil
		}
		rate, err := percent(text, rateScale)
		if err == nil {
			*to = decimal.NewNullDecimal(rate)
		}
		return err
	}
}

func overrideFlag(to **bool) func(string) error {
	return func(text string) error {
		if inherits(text) {
			*to = nil
			return nil
		}
		v, err := onOff(text)
		if err == nil {
			*to = &v
		}
		return err
	}
}
