package api

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/webhooks"
)

// PayinRecord is a payin as check-payin and list-payin show it (api-v1 §Payin record). unconfirmed_payments,
// payments_omitted, checkout_url, return_url, late and worth_at_arrival are extensions (addendum §8, api-v1 §The payers' page).
type PayinRecord struct {
	InternalReference   uuid.UUID            `json:"internal_reference"`
	ReferenceID         string               `json:"reference_id"`
	Wallet              string               `json:"wallet"`
	Network             string               `json:"network"`
	CryptoCurrency      string               `json:"crypto_currency"`
	CryptoAmount        string               `json:"crypto_amount"`
	InvoiceCurrency     string               `json:"invoice_currency"`
	InvoiceAmount       string               `json:"invoice_amount"`
	FiatCurrency        string               `json:"fiat_currency"`
	FiatAmount          *string              `json:"fiat_amount"`
	ReceivedAmount      string               `json:"received_amount"`
	ProcessBy           string               `json:"process_by"`
	PercentRate         string               `json:"percent_rate"`
	NetworkFee          string               `json:"network_fee"`
	MinimumPayment      string               `json:"minimum_payment"`
	Status              string               `json:"status"`
	PaymentStatus       *string              `json:"payment_status"`
	Txid                *string              `json:"txid"`
	Payments            []webhooks.Payment   `json:"payments"`
	PaymentsOmitted     *webhooks.Omitted    `json:"payments_omitted,omitempty"`
	UnconfirmedPayments []UnconfirmedPayment `json:"unconfirmed_payments"`
	WebhookURL          string               `json:"webhook_url"`
	IsWalletFixed       bool                 `json:"is_wallet_fixed"`
	CustomerInfo        *string              `json:"customer_info"`
	Reversal            *webhooks.Reversal   `json:"reversal"`
	CreatedAt           string               `json:"created_at"`
	UpdatedAt           string               `json:"updated_at"`
	ExpiresAt           string               `json:"expires_at"`
	CheckoutURL         string               `json:"checkout_url,omitempty"`
	ReturnURL           string               `json:"return_url,omitempty"`
	webhooks.LateMoney
}

// UnconfirmedPayment is a transfer seen and not yet credited.
type UnconfirmedPayment struct {
	Token                 string `json:"token"`
	Amount                string `json:"amount"`
	Network               string `json:"network"`
	Txid                  string `json:"txid"`
	Timestamp             string `json:"timestamp"`
	Confirmations         int64  `json:"confirmations"`
	RequiredConfirmations int    `json:"required_confirmations"`
}

// payinViews turns payins into their records in answers.
type payinViews struct {
	transfers map[uuid.UUID]*pay.PayinTransfers
	heads     map[string]int64
	credits   CreditRules
	wallets   string // where the merchant wants notices of fixed wallets now
}

func (v *payinViews) view(p *pay.Payin) (PayinRecord, error) {
	transfers := v.transfers[p.ID]
	out := PayinRecord{
		InternalReference: p.ID, ReferenceID: p.ReferenceID, Wallet: p.Wallet, Network: p.Network,
		CryptoCurrency: p.Token, CryptoAmount: p.Amount.String(), InvoiceCurrency: p.Token, InvoiceAmount: p.Amount.String(),
		FiatCurrency: p.FiatCurrency, FiatAmount: fiatText(p.FiatAmount), ReceivedAmount: p.Received.String(),
		ProcessBy: string(p.ProcessBy), PercentRate: p.PercentRate.String(), NetworkFee: p.NetworkFee.String(),
		MinimumPayment: p.MinimumPayment.String(), Status: string(p.Status),
		Payments: []webhooks.Payment{}, PaymentsOmitted: webhooks.OmittedOf(transfers), UnconfirmedPayments: []UnconfirmedPayment{},
		WebhookURL: p.WebhookURL, ReturnURL: p.ReturnURL, IsWalletFixed: p.WalletID != nil, CustomerInfo: p.CustomerInfo,
		CreatedAt: wireTime(p.CreatedAt), UpdatedAt: wireTime(p.UpdatedAt), ExpiresAt: wireTime(p.ExpiresAt),
	}
	for i := range transfers.Shown {
		switch t := &transfers.Shown[i]; {
		case t.OnBalance():
			out.Payments = append(out.Payments, paymentOf(p, t))
		case t.Status == pay.TransferSeen:
			out.UnconfirmedPayments = append(out.UnconfirmedPayments, v.unconfirmed(t))
		}
	}
	if out.IsWalletFixed {
		out.WebhookURL = v.wallets
	}
	out.PaymentStatus, out.LateMoney = p.PaymentStatus(transfers), webhooks.LateOf(p, transfers)
	var err error
	if out.Txid, err = txids(transfers.Shown); err != nil {
		return out, err
	}
	out.Reversal, err = reversalOf(p, transfers.Paid())
	return out, err
}

// fiatText writes a fiat amount with its 8 decimals, null when there is none.
func fiatText(amount decimal.NullDecimal) *string {
	if !amount.Valid {
		return nil
	}
	text := amount.Decimal.StringFixed(pricing.FiatPlaces)
	return &text
}

func paymentOf(p *pay.Payin, t *pay.Transfer) webhooks.Payment {
	out := webhooks.Payment{Token: t.Token, Amount: t.Credited.String(), Network: t.Network, Txid: t.Txid, Timestamp: wireTime(t.SeenAt)}
	if t.Token != p.Token {
		out.ConvertedTo = &webhooks.Converted{Token: p.Token, Amount: t.Counted.String()}
	}
	return out
}

// unconfirmed counts the block of a transfer as its first confirmation; in the mempool it has none.
func (v *payinViews) unconfirmed(t *pay.Transfer) UnconfirmedPayment {
	out := UnconfirmedPayment{Token: t.Token, Amount: t.Amount.String(), Network: t.Network, Txid: t.Txid,
		Timestamp: wireTime(t.SeenAt), RequiredConfirmations: v.credits.Required(t.Network, t.CreditAfter)}
	if t.Height != nil {
		out.Confirmations = max(0, v.heads[t.Network]-*t.Height+1)
	}
	return out
}

// txids writes the hashes of transfers credited now or before as text holding a JSON list; nil before any payment
// (api-v1 §Payin record).
func txids(transfers []pay.Transfer) (*string, error) {
	var list []string
	named := map[string]bool{}
	for i := range transfers {
		if t := &transfers[i]; t.Credits > 0 && !named[t.Txid] {
			list, named[t.Txid] = append(list, t.Txid), true
		}
	}
	if list == nil {
		return nil, nil
	}
	body, err := encode(list)
	if err != nil {
		return nil, fmt.Errorf("write txid: %w", err)
	}
	text := string(body)
	return &text, nil
}

func reversalOf(p *pay.Payin, partial bool) (*webhooks.Reversal, error) {
	if p.ReversedAt == nil {
		return nil, nil
	}
	amounts, err := p.TakenBack()
	return &webhooks.Reversal{ReversedAt: wireTime(*p.ReversedAt), Partial: partial, Amounts: amounts}, err
}
