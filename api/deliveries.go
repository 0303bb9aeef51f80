package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// Deliveries are the operations on a merchant's own webhooks (api-v1 §Webhook deliveries).
type Deliveries struct {
	Store *store.Store
}

// Routes are their rows of the route table.
func (d *Deliveries) Routes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/v1/webhook-deliveries", Scope: pay.ScopeWebhooksRead,
			Summary: "List webhooks, newest first", Doc: docListDeliveries, Handler: d.list},
		{Method: http.MethodGet, Path: "/v1/webhook-deliveries/:id", Scope: pay.ScopeWebhooksRead,
			Summary: "Read a webhook with its attempts", Doc: docGetDelivery, Handler: d.get},
		{Method: http.MethodPost, Path: "/v1/webhook-deliveries/:id/redeliver", Scope: pay.ScopeWebhooksWrite,
			Summary: "Send a webhook once more", Doc: docRedeliver, Handler: d.redeliver},
	}
}

// WebhookDelivery is one webhook to one receiver.
type WebhookDelivery struct {
	ID                uuid.UUID        `json:"id"` // X-Service-Delivery (addendum §2)
	Event             string           `json:"event"`
	Status            string           `json:"status"`
	InternalReference uuid.UUID        `json:"internal_reference"`
	ReferenceID       string           `json:"reference_id"`
	WebhookURL        string           `json:"webhook_url"`
	AttemptCount      int              `json:"attempt_count"`
	LastAttempt       *DeliveryAttempt `json:"last_attempt"`
	RedeliveryOf      *uuid.UUID       `json:"redelivery_of"`
	CreatedAt         string           `json:"created_at"`
	FinishedAt        *string          `json:"finished_at"`
}

// DeliveryAttempt is one HTTP try. Without an answer http_status is null; error is null when it was taken.
type DeliveryAttempt struct {
	Attempt     int     `json:"attempt"`
	AttemptedAt string  `json:"attempted_at"`
	HTTPStatus  *int    `json:"http_status"`
	Error       *string `json:"error"`
	DurationMS  int     `json:"duration_ms"`
}

// WebhookDeliveryList is the answer to GET /v1/webhook-deliveries.
type WebhookDeliveryList struct {
	Message    string            `json:"message"`
	Deliveries []WebhookDelivery `json:"deliveries"`
	Meta       listMeta          `json:"meta"`
}

// WebhookDeliveryFound is the answer to GET /v1/webhook-deliveries/{id}.
type WebhookDeliveryFound struct {
	Message  string                `json:"message"`
	Delivery WebhookDeliveryRecord `json:"delivery"`
}

// WebhookDeliveryRecord is a webhook with every try, oldest first, and its body as it is sent.
type WebhookDeliveryRecord struct {
	WebhookDelivery
	Attempts []DeliveryAttempt `json:"attempts"`
	Body     sentBody          `json:"body"`
}

// sentBody is JSON answered as it is.
type sentBody struct{ json.RawMessage }

// JSONSchemaBytes describes any object; the notices say more.
func (sentBody) JSONSchemaBytes() ([]byte, error) { return []byte(`{"type":"object"}`), nil }

func webhookDelivery(d *pay.Delivery) WebhookDelivery {
	out := WebhookDelivery{ID: d.ID, Event: string(d.Event), Status: d.Status, InternalReference: d.Subject, ReferenceID: referenceTold(d.Body),
		WebhookURL: d.URL, AttemptCount: d.Attempts, RedeliveryOf: d.RedeliveryOf, CreatedAt: wireTime(d.CreatedAt)}
	if d.FinishedAt != nil {
		at := wireTime(*d.FinishedAt)
		out.FinishedAt = &at
	}
	return out
}

// referenceTold returns the reference_id in a webhook's body.
func referenceTold(body []byte) string {
	var told struct {
		Data struct {
			ReferenceID string `json:"reference_id"`
		} `json:"data"`
	}
	_ = json.Unmarshal(body, &told) // a body of ours
	return told.Data.ReferenceID
}

func deliveryAttempt(a *pay.Attempt) DeliveryAttempt {
	out := DeliveryAttempt{Attempt: a.Attempt, AttemptedAt: wireTime(a.At), DurationMS: a.DurationMS}
	if a.Status != 0 {
		out.HTTPStatus = &a.Status
	}
	if a.Error != "" {
		out.Error = &a.Error
	}
	return out
}

// deliveryStatuses maps the status filters of a list to the statuses of the table: each is its own.
var deliveryStatuses = map[string][]string{
	pay.DeliveryPending: {pay.DeliveryPending}, pay.DeliveryDelivered: {pay.DeliveryDelivered}, pay.DeliveryExhausted: {pay.DeliveryExhausted},
}

func (d *Deliveries) list(c *Call) error {
	asked := &listing{applied: applied{}}
	f := lists.DeliveryFilter{Merchant: c.Caller.Merchant.ID, Statuses: pay.DeliveryStatuses, Events: pay.Events}
	err := firstOf(
		func() error { return asked.readPage(c.Query) },
		func() error { return asked.readStatus(c.Query, deliveryStatuses) },
		func() error { return readEvent(c.Query, asked, &f) },
		func() error { return d.readReference(c, asked, &f) },
	)
	if err != nil {
		return err
	}
	if asked.Statuses != nil {
		f.Statuses = asked.Statuses
	}
	f.Page, f.PerPage = asked.Page, asked.PerPage
	rows, total, err := lists.Deliveries(c.Context(), d.Store, f)
	if err != nil {
		return err
	}
	out := WebhookDeliveryList{"webhook_deliveries_retrieved_success", make([]WebhookDelivery, len(rows)), asked.meta(total)}
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		out.Deliveries[i], ids[i] = webhookDelivery(&rows[i]), rows[i].ID
	}
	last, err := d.Store.LastAttempts(c.Context(), ids)
	if err != nil {
		return err
	}
	for i := range out.Deliveries {
		if a, tried := last[ids[i]]; tried {
			attempt := deliveryAttempt(&a)
			out.Deliveries[i].LastAttempt = &attempt
		}
	}
	return c.JSON(http.StatusOK, out)
}

func readEvent(q query, l *listing, f *lists.DeliveryFilter) error {
	event := pay.Event(strings.ToLower(q("event")))
	if event == "" {
		return nil
	}
	if !slices.Contains(pay.Events, event) {
		return input.FieldErrors{"event": "is not an event"}.Err()
	}
	f.Events = []pay.Event{event}
	l.apply("event", string(event))
	return nil
}

// readReference takes an internal_reference or a reference_id, as check-payin does.
func (d *Deliveries) readReference(c *Call, l *listing, f *lists.DeliveryFilter) (err error) {
	text := c.Query("reference")
	if text == "" {
		return nil
	}
	if !input.Within(text, 1, longestReference) {
		return errDeliveryReference
	}
	l.apply("reference", text)
	f.Subjects, err = d.Store.SubjectsCalled(c.Context(), f.Merchant, text)
	return err
}

var errDeliveryReference = pay.E(pay.Invalid, "invalid_reference_id", "reference must have at most 255 characters.")

var errDeliveryUnknown = pay.E(pay.NotFound, "record_not_found", "The account has no such webhook.").With("resource", "webhook_delivery")

// ofCaller finds the delivery named by the path; another merchant's is unknown.
func ofCaller(c *Call, s *store.Store) (*pay.Delivery, error) {
	text, _ := c.Param("id")
	id, ok := exactID(text)
	if !ok {
		return nil, errDeliveryUnknown
	}
	found, err := s.MerchantDelivery(c.Context(), c.Caller.Merchant.ID, id)
	if errors.Is(err, pay.ErrNotFound) {
		return nil, errDeliveryUnknown
	}
	return found, err
}

func (d *Deliveries) get(c *Call) error {
	found, err := ofCaller(c, d.Store)
	if err != nil {
		return err
	}
	tries, err := d.Store.AttemptsOf(c.Context(), found.ID)
	if err != nil {
		return err
	}
	out := WebhookDeliveryRecord{webhookDelivery(found), make([]DeliveryAttempt, len(tries)), sentBody{found.Body}}
	for i := range tries {
		out.Attempts[i] = deliveryAttempt(&tries[i])
	}
	if n := len(tries); n > 0 {
		out.LastAttempt = &out.Attempts[n-1]
	}
	return c.JSON(http.StatusOK, WebhookDeliveryFound{"webhook_delivery_retrieved_success", out})
}
