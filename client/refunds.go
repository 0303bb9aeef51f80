package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// Refund is what is to be given back of a payin (api-v1 §Refunds).
type Refund struct {
	Payin              string `json:"payin"` // its internal reference, or else its reference_id
	ReferenceID        string `json:"reference_id"`
	Amount             string `json:"amount"` // all, overpaid, or a plain decimal
	FeeTakenFromAmount int    `json:"feetakenfromamount"`
	WebhookURL         string `json:"webhook_url"`
	CryptoCurrency     string `json:"crypto_currency,omitempty"` // the token that came; the payin's when empty
	Wallet             string `json:"wallet,omitempty"`          // where to; when empty the payer says so, on RefundURL
	Memo               string `json:"memo,omitempty"`
	Description        string `json:"description,omitempty"` // for the payer
	ExpiresAt          int    `json:"expires_at,omitempty"`  // lifetime of the link in seconds, 1 to 2592000; 604800 when zero
}

// RefundRecord is a refund as it stands.
type RefundRecord struct {
	InternalReference  string  `json:"internal_reference"`
	ReferenceID        string  `json:"reference_id"`
	Payin              string  `json:"payin"`
	CryptoCurrency     string  `json:"crypto_currency"`
	Network            string  `json:"network"`
	CryptoAmount       string  `json:"crypto_amount"`
	FeeTakenFromAmount string  `json:"feetakenfromamount"`
	Status             string  `json:"status"` // open, expired, revoked, pending, completed or failed
	Payout             *string `json:"payout"` // its internal reference; nil until the payer has said where to
	Wallet             *string `json:"wallet"`
	Memo               *string `json:"memo"`
	Txid               *string `json:"txid"`
	Description        string  `json:"description,omitempty"`
	WebhookURL         string  `json:"webhook_url"`
	CreatedAt          Moment  `json:"created_at"`
	ExpiresAt          *Moment `json:"expires_at"`           // of the link; nil without one
	RefundURL          string  `json:"refund_url,omitempty"` // page for the payer. Whoever has it may take the money
}

// PayinRefunds are the refunds of a payin, and what is left.
type PayinRefunds struct {
	Message    string           `json:"message"`
	Payin      string           `json:"payin"`
	Refundable []RefundableLeft `json:"refundable"`
	Refunds    []RefundRecord   `json:"refunds"` // newest first
}

// RefundableLeft says how much of what came in a token on a network may still be refunded.
type RefundableLeft struct {
	CryptoCurrency string `json:"crypto_currency"`
	Network        string `json:"network"`
	Arrived        string `json:"arrived"`
	Refunded       string `json:"refunded"`
	Refundable     string `json:"refundable"`
	Overpaid       string `json:"overpaid"`
}

type refundFound struct {
	Message string       `json:"message"`
	Refund  RefundRecord `json:"refund"`
}

// CreateRefund gives a payer back something of a payin. idempotencyKey may be empty: then nothing is retried, and after a failure the
// reference must be looked up. A refusal frees the key. The same key with another body is ErrOtherBody, with the refund of the earlier
// request.
func (c *Client) CreateRefund(ctx context.Context, idempotencyKey string, r Refund) (*RefundRecord, error) {
	a, err := c.do(ctx, call{method: http.MethodPost, path: "/v1/refund", body: r, idempotencyKey: idempotencyKey})
	switch {
	case err != nil:
		return nil, err
	case a.differs():
		err = ErrOtherBody
	case a.status >= http.StatusMultipleChoices:
		return nil, a.refusal()
	}
	created, unread := decode[refundFound](a)
	if unread != nil {
		return nil, errors.Join(err, unread)
	}
	return &created.Refund, err
}

// CheckRefund looks a refund up by its internal reference, or else by its reference_id.
func (c *Client) CheckRefund(ctx context.Context, reference string) (*RefundRecord, error) {
	found, err := get[refundFound](ctx, c, "/v1/refund/"+url.PathEscape(reference), nil)
	if err != nil {
		return nil, err
	}
	return &found.Refund, nil
}

// RevokeRefund ends the link of a refund.
func (c *Client) RevokeRefund(ctx context.Context, reference string) (*RefundRecord, error) {
	ended, err := send[refundFound](ctx, c, call{method: http.MethodPost, path: "/v1/refund/" + url.PathEscape(reference) + "/revoke"})
	if err != nil {
		return nil, err
	}
	return &ended.Refund, nil
}

// ListPayinRefunds returns the refunds of a payin, named by its internal reference or else by its reference_id.
func (c *Client) ListPayinRefunds(ctx context.Context, payin string) (*PayinRefunds, error) {
	return get[PayinRefunds](ctx, c, "/v1/payin-refunds/"+url.PathEscape(payin), nil)
}
