package client

import (
	"context"
	"net/http"
	"net/url"
)

// PaymentRequest is an amount to be asked for, in a fiat currency or a token (api-v1 §Payment requests).
type PaymentRequest struct {
	ReferenceID  string  `json:"reference_id"`
	Amount       string  `json:"amount"`
	Currency     string  `json:"currency"`
	WebhookURL   string  `json:"webhook_url"`
	Description  string  `json:"description,omitempty"` // for the payer
	Items        []Item  `json:"items,omitempty"`       // what is paid for, for the payer
	Offers       []Offer `json:"offers,omitempty"`      // what may be chosen; all when empty
	CustomerInfo string  `json:"customer_info,omitempty"`
	Email        string  `json:"customer_email,omitempty"` // of the customer, for the merchant alone
	ExpiresAt    int     `json:"expires_at,omitempty"`     // lifetime in seconds, 1 to 2592000; 86400 when zero
	ReturnURL    string  `json:"return_url,omitempty"`     // of the shop, after a payment
	CancelURL    string  `json:"cancel_url,omitempty"`     // of the shop, without one
	Colour       string  `json:"colour,omitempty"`         // of its pages, #rrggbb; the merchant's when empty
	Support      string  `json:"support,omitempty"`        // where a payer asks: an e-mail address, or a page by https; the merchant's when empty
}

// Offer is a token on a network.
type Offer struct {
	CryptoCurrency string `json:"crypto_currency"`
	Network        string `json:"network"`
}

// Item is a thing that a request is paid for. Items are shown to the payer, and not added up.
type Item struct {
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
	Amount   string `json:"amount,omitempty"` // of one, in the currency of the request
}

// PaymentRequestRecord is a payment request as it stands.
type PaymentRequestRecord struct {
	InternalReference string        `json:"internal_reference"`
	ReferenceID       string        `json:"reference_id"`
	Amount            string        `json:"amount"`
	Currency          string        `json:"currency"`
	Description       string        `json:"description,omitempty"`
	Items             []Item        `json:"items"`
	Offers            []Offer       `json:"offers"`
	Status            string        `json:"status"` // open, pending, paid or expired
	Payins            []ChosenPayin `json:"payins"`
	CustomerInfo      *string       `json:"customer_info"`
	Email             string        `json:"customer_email,omitempty"`
	WebhookURL        string        `json:"webhook_url"`
	ReturnURL         string        `json:"return_url,omitempty"`
	CancelURL         string        `json:"cancel_url,omitempty"`
	Colour            string        `json:"colour,omitempty"`
	Support           string        `json:"support,omitempty"`
	CreatedAt         Moment        `json:"created_at"`
	ExpiresAt         Moment        `json:"expires_at"`
	CheckoutURL       string        `json:"checkout_url,omitempty"` // page for the payer; empty unless the service has one to tell of
}

// ChosenPayin names a payin that the payer has chosen.
type ChosenPayin struct {
	InternalReference string `json:"internal_reference"`
	ReferenceID       string `json:"reference_id"`
	CryptoCurrency    string `json:"crypto_currency"`
	Network           string `json:"network"`
	Status            string `json:"status"` // as of a payin
}

type requestFound struct {
	Message string               `json:"message"`
	Request PaymentRequestRecord `json:"payment_request"`
}

// CreatePaymentRequest asks a payer for an amount. He chooses on its page what to pay it with. It is never retried, as CreatePayin is not.
func (c *Client) CreatePaymentRequest(ctx context.Context, r PaymentRequest) (*PaymentRequestRecord, error) {
	created, err := send[requestFound](ctx, c, call{method: http.MethodPost, path: "/v1/payment-request", body: r})
	if err != nil {
		return nil, err
	}
	return &created.Request, nil
}

// CheckPaymentRequest looks a payment request up by its internal reference, or else by its reference_id.
func (c *Client) CheckPaymentRequest(ctx context.Context, reference string) (*PaymentRequestRecord, error) {
	found, err := get[requestFound](ctx, c, "/v1/payment-request/"+url.PathEscape(reference), nil)
	if err != nil {
		return nil, err
	}
	return &found.Request, nil
}
