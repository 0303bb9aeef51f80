package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// WebhookDelivery is one webhook to one receiver (api-v1 §Webhook deliveries).
type WebhookDelivery struct {
	ID                string           `json:"id"` // as in the delivery header
	Event             string           `json:"event"`
	Status            string           `json:"status"` // pending, delivered or exhausted
	InternalReference string           `json:"internal_reference"`
	ReferenceID       string           `json:"reference_id"`
	WebhookURL        string           `json:"webhook_url"`
	AttemptCount      int              `json:"attempt_count"`
	LastAttempt       *DeliveryAttempt `json:"last_attempt"`
	RedeliveryOf      *string          `json:"redelivery_of"` // the webhook repeated by this one
	CreatedAt         Moment           `json:"created_at"`
	FinishedAt        *Moment          `json:"finished_at"`

	// From GetWebhookDelivery only.
	Attempts []DeliveryAttempt `json:"attempts"` // oldest first
	Body     json.RawMessage   `json:"body"`
}

// DeliveryAttempt is one HTTP try.
type DeliveryAttempt struct {
	Attempt     int     `json:"attempt"`
	AttemptedAt Moment  `json:"attempted_at"`
	HTTPStatus  *int    `json:"http_status"` // nil without an answer
	Error       *string `json:"error"`       // nil when it was taken
	DurationMS  int     `json:"duration_ms"`
}

// WebhookDeliveries is one page of webhooks.
type WebhookDeliveries struct {
	Message    string            `json:"message"`
	Deliveries []WebhookDelivery `json:"deliveries"`
	Meta       Meta              `json:"meta"`
}

// DeliveryFilter narrows ListWebhookDeliveries. Empty values filter nothing.
type DeliveryFilter struct {
	Page      int // from 1; 1 when zero
	PerPage   int // 1 to 100; 50 when zero
	Status    string
	Event     string
	Reference string // internal or own, of the payin or payout
}

// ListWebhookDeliveries returns a page of webhooks, newest first.
func (c *Client) ListWebhookDeliveries(ctx context.Context, f DeliveryFilter) (*WebhookDeliveries, error) {
	return get[WebhookDeliveries](ctx, c, "/v1/webhook-deliveries", query(map[string]string{
		"page": number(f.Page), "per_page": number(f.PerPage), "status": f.Status, "event": f.Event, "reference": f.Reference,
	}))
}

type deliveryFound struct {
	Message  string          `json:"message"`
	Delivery WebhookDelivery `json:"delivery"`
}

// GetWebhookDelivery reads a webhook with its attempts and its body.
func (c *Client) GetWebhookDelivery(ctx context.Context, id string) (*WebhookDelivery, error) {
	found, err := get[deliveryFound](ctx, c, "/v1/webhook-deliveries/"+url.PathEscape(id), nil)
	if err != nil {
		return nil, err
	}
	return &found.Delivery, nil
}

type deliveryAgain deliveryFound

// RedeliverWebhook sends a webhook once more and returns its repetition. While this is still to go out, asking again returns
// it again.
func (c *Client) RedeliverWebhook(ctx context.Context, id string) (*WebhookDelivery, error) {
	again, err := send[deliveryAgain](ctx, c, call{method: http.MethodPost, path: "/v1/webhook-deliveries/" + url.PathEscape(id) + "/redeliver"})
	if err != nil {
		return nil, err
	}
	return &again.Delivery, nil
}
