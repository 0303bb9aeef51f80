package client

import (
	"context"
	"net/http"
	"net/url"
)

// PaymentLink is an address for any number of payers (api-v1 §Payment links). Each payer who chooses makes a payment request of their own.
type PaymentLink struct {
	Slug        string  `json:"slug,omitempty"` // end of the address; a random one when empty
	Label       string  `json:"label"`          // for the payers
	Currency    string  `json:"currency"`       // a fiat currency, or the symbol of a token
	Amount      string  `json:"amount,omitempty"`
	MinAmount   string  `json:"min_amount,omitempty"` // bounds of what a payer says; only without an amount
	MaxAmount   string  `json:"max_amount,omitempty"`
	WebhookURL  string  `json:"webhook_url"`
	Description string  `json:"description,omitempty"` // for the payers
	Offers      []Offer `json:"offers,omitempty"`      // what may be chosen; all when empty
	ReturnURL   string  `json:"return_url,omitempty"`  // of the shop, after a payment
	CancelURL   string  `json:"cancel_url,omitempty"`  // of the shop, without one
	Colour      string  `json:"colour,omitempty"`      // of its pages, #rrggbb; the merchant's when empty
	Support     string  `json:"support,omitempty"`     // where a payer asks: an e-mail address, or a page by https; the merchant's when empty
}

// PaymentLinkRecord is a payment link as it stands.
type PaymentLinkRecord struct {
	InternalReference string  `json:"internal_reference"`
	Slug              string  `json:"slug"`
	Label             string  `json:"label"`
	Description       string  `json:"description,omitempty"`
	Currency          string  `json:"currency"`
	Amount            *string `json:"amount"` // nil where the payer says it
	MinAmount         *string `json:"min_amount"`
	MaxAmount         *string `json:"max_amount"`
	Offers            []Offer `json:"offers"`
	Status            string  `json:"status"` // open or ended
	WebhookURL        string  `json:"webhook_url"`
	ReturnURL         string  `json:"return_url,omitempty"`
	CancelURL         string  `json:"cancel_url,omitempty"`
	Colour            string  `json:"colour,omitempty"`
	Support           string  `json:"support,omitempty"`
	CreatedAt         Moment  `json:"created_at"`
	EndedAt           *Moment `json:"ended_at"`
	CheckoutURL       string  `json:"checkout_url,omitempty"` // page for the payers; empty when it has ended, or the service has none to tell of
}

// PaymentLinks is a page of payment links, newest first.
type PaymentLinks struct {
	Message string              `json:"message"`
	Links   []PaymentLinkRecord `json:"payment_links"`
	Meta    Meta                `json:"meta"`
}

// LinkFilter narrows ListPaymentLinks. Empty values filter nothing.
type LinkFilter struct {
	Page    int // from 1; 1 when zero
	PerPage int // 1 to 100; 50 when zero
	Status  string
}

type linkFound struct {
	Message string            `json:"message"`
	Link    PaymentLinkRecord `json:"payment_link"`
}

// CreatePaymentLink makes a link for any number of payers. It is never retried. After a failure send it again with the same slug: if the
// link exists, the error is slug_taken, and CheckPaymentLink returns it.
func (c *Client) CreatePaymentLink(ctx context.Context, l PaymentLink) (*PaymentLinkRecord, error) {
	created, err := send[linkFound](ctx, c, call{method: http.MethodPost, path: "/v1/payment-link", body: l})
	if err != nil {
		return nil, err
	}
	return &created.Link, nil
}

// CheckPaymentLink looks a payment link up by its internal reference, or else by its slug.
func (c *Client) CheckPaymentLink(ctx context.Context, reference string) (*PaymentLinkRecord, error) {
	found, err := get[linkFound](ctx, c, "/v1/payment-link/"+url.PathEscape(reference), nil)
	if err != nil {
		return nil, err
	}
	return &found.Link, nil
}

// ListPaymentLinks returns a page of payment links, newest first.
func (c *Client) ListPaymentLinks(ctx context.Context, f LinkFilter) (*PaymentLinks, error) {
	return get[PaymentLinks](ctx, c, "/v1/payment-links", query(map[string]string{"page": number(f.Page), "per_page": number(f.PerPage), "status": f.Status}))
}

// EndPaymentLink ends a payment link for good. One that has ended before is returned as it stands.
func (c *Client) EndPaymentLink(ctx context.Context, reference string) (*PaymentLinkRecord, error) {
	ended, err := send[linkFound](ctx, c, call{method: http.MethodPost, path: "/v1/payment-link/" + url.PathEscape(reference) + "/end"})
	if err != nil {
		return nil, err
	}
	return &ended.Link, nil
}
