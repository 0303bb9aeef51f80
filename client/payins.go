package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// Payin is a payin to be created (api-v1 §Payin request object). Give the amount named by ProcessBy.
type Payin struct {
	ReferenceID    string `json:"reference_id"`
	CryptoCurrency string `json:"crypto_currency"`
	Network        string `json:"network"`
	ProcessBy      string `json:"process_by"`
	CryptoAmount   string `json:"crypto_amount,omitempty"`
	FiatAmount     string `json:"fiat_amount,omitempty"`
	FiatCurrency   string `json:"fiat_currency,omitempty"`
	WebhookURL     string `json:"webhook_url"`
	CustomerInfo   string `json:"customer_info,omitempty"`
	ReturnURL      string `json:"return_url,omitempty"` // of the shop: the page for the payer leads back there
	ExpiresAt      int    `json:"expires_at,omitempty"` // lifetime in seconds, 1 to 86400; 14400 when zero
	Memo           string `json:"memo,omitempty"`
}

// CreatedPayin is a new payin with the address to pay to.
type CreatedPayin struct {
	ReferenceID       string  `json:"reference_id"`
	InternalReference string  `json:"internal_reference"`
	Wallet            string  `json:"wallet"`
	CryptoAmount      string  `json:"crypto_amount"`
	FiatAmount        *string `json:"fiat_amount"`
	CryptoCurrency    string  `json:"crypto_currency"`
	FiatCurrency      string  `json:"fiat_currency"`
	Network           string  `json:"network"`
	Status            string  `json:"status"`
	CheckoutURL       string  `json:"checkout_url,omitempty"` // page for the payer; empty unless the service has one to tell of
}

type payinCreated struct {
	Message string       `json:"message"`
	Data    CreatedPayin `json:"data"`
}

// CreatePayin creates a payin. It is never retried: after a failure send it again with the same ReferenceID. If it
// exists, the error is duplicate_reference_id, and CheckPayin returns it (api-v1 §POST /v1/payin).
func (c *Client) CreatePayin(ctx context.Context, p Payin) (*CreatedPayin, error) {
	created, err := send[payinCreated](ctx, c, call{method: http.MethodPost, path: "/v1/payin", body: p})
	if err != nil {
		return nil, err
	}
	return &created.Data, nil
}

// PayinRecord is a payin as it stands (api-v1 §Payin record).
type PayinRecord struct {
	InternalReference   string               `json:"internal_reference"`
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
	Status              string               `json:"status"`         // pending, completed, failed or reversed
	PaymentStatus       *string              `json:"payment_status"` // partial, exact or overpaid
	Txids               Hashes               `json:"txid"`
	Payments            []Payment            `json:"payments"`
	PaymentsOmitted     *PaymentsOmitted     `json:"payments_omitted"` // of a payin with more than 500 transfers
	UnconfirmedPayments []UnconfirmedPayment `json:"unconfirmed_payments"`
	WebhookURL          string               `json:"webhook_url"`
	IsWalletFixed       bool                 `json:"is_wallet_fixed"`
	CustomerInfo        *string              `json:"customer_info"` // of the request, or of the fixed wallet
	Reversal            *Reversal            `json:"reversal"`
	CreatedAt           Moment               `json:"created_at"`
	UpdatedAt           Moment               `json:"updated_at"`
	ExpiresAt           Moment               `json:"expires_at"`
	ReturnURL           string               `json:"return_url,omitempty"`   // of the request
	CheckoutURL         string               `json:"checkout_url,omitempty"` // page for the payer; empty unless the service has one to tell of
	Late                bool                 `json:"late"`                   // some of the money came after ExpiresAt,
	WorthAtArrival      *string              `json:"worth_at_arrival"`       // worth so much in FiatCurrency when it was credited; nil without a price
}

// PaymentsOmitted sums up the credited transfers of a payin left out of its list.
type PaymentsOmitted struct {
	Count  int    `json:"count"`
	Amount string `json:"amount"` // in the payin's token
}

// Hashes are transaction hashes. On the wire they are a JSON list inside a text, or null.
type Hashes []string

// UnmarshalJSON implements json.Unmarshaler.
func (h *Hashes) UnmarshalJSON(text []byte) error {
	*h = nil
	var list *string
	if err := json.Unmarshal(text, &list); err != nil || list == nil {
		return err
	}
	if err := json.Unmarshal([]byte(*list), (*[]string)(h)); err != nil {
		return fmt.Errorf("read txid: %w", err)
	}
	return nil
}

// Payment is one credited transfer.
type Payment struct {
	Token       string     `json:"token"`
	Amount      string     `json:"amount"`
	Network     string     `json:"network"`
	Txid        string     `json:"txid"`
	Timestamp   Moment     `json:"timestamp"`
	ConvertedTo *Converted `json:"converted_to"` // when it was in another token than the payin's
}

// Converted is the amount counted for a payment in the payin's token.
type Converted struct {
	Token  string `json:"token"`
	Amount string `json:"amount"`
}

// UnconfirmedPayment is a transfer seen and not yet credited.
type UnconfirmedPayment struct {
	Token                 string `json:"token"`
	Amount                string `json:"amount"`
	Network               string `json:"network"`
	Txid                  string `json:"txid"`
	Timestamp             Moment `json:"timestamp"`
	Confirmations         int64  `json:"confirmations"`
	RequiredConfirmations int    `json:"required_confirmations"`
}

// Reversal is money taken back by the network; Amounts are by balance key.
type Reversal struct {
	ReversedAt Moment            `json:"reversed_at"`
	Partial    bool              `json:"partial"`
	Amounts    map[string]string `json:"amounts"`
}

type payinFound struct {
	Message string      `json:"message"`
	Deposit PayinRecord `json:"deposit"`
}

// CheckPayin looks a payin up by its internal reference, or else by its reference_id.
func (c *Client) CheckPayin(ctx context.Context, reference string) (*PayinRecord, error) {
	found, err := get[payinFound](ctx, c, "/v1/check-payin/"+url.PathEscape(reference), nil)
	if err != nil {
		return nil, err
	}
	return &found.Deposit, nil
}

// PayinList is one page; the summary counts all pages.
type PayinList struct {
	Message  string        `json:"message"`
	Deposits []PayinRecord `json:"deposits"`
	Summary  struct {
		TotalPending   int `json:"total_pending"`
		TotalCompleted int `json:"total_completed"`
		TotalFailed    int `json:"total_failed"`
		TotalReversed  int `json:"total_reversed"`
	} `json:"summary"`
	Meta Meta `json:"meta"`
}

// ListPayins returns a page of payins, newest first.
func (c *Client) ListPayins(ctx context.Context, filter ListFilter) (*PayinList, error) {
	return get[PayinList](ctx, c, "/v1/list-payin", filter.query())
}
