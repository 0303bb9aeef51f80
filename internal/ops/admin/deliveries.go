package admin

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
	"causeway/tasks"
)

// Delivery is a webhook as the operator sees it.
type Delivery struct {
	ID           uuid.UUID  `json:"id"`
	MerchantID   uuid.UUID  `json:"merchant_id"`
	Subject      uuid.UUID  `json:"subject"` // the payin or payout
	Event        pay.Event  `json:"event"`
	URL          string     `json:"url"`
	Status       string     `json:"status"`
	Attempts     int        `json:"attempts"`
	CreatedAt    time.Time  `json:"created_at"`
	FinishedAt   *time.Time `json:"finished_at"`
	LastAttempt  *Attempt   `json:"last_attempt"`
	LastError    *string    `json:"last_error"`    // why it was not tried last, or is tried later; null once it has ended
	RedeliveryOf *uuid.UUID `json:"redelivery_of"` // the delivery repeated by this one on request; null = none

	Seq int64 `json:"-"` // its place in the list
}

// Attempt is the newest HTTP try of a delivery.
type Attempt struct {
	At         time.Time `json:"at"`
	Status     int       `json:"status"` // HTTP status; 0 when there was no answer
	Error      string    `json:"error"`
	DurationMS int       `json:"duration_ms"`
}

func viewDelivery(d *pay.Delivery) Delivery {
	return Delivery{ID: d.ID, MerchantID: d.MerchantID, Subject: d.Subject, Event: d.Event, URL: d.URL, Status: d.Status,
		Attempts: d.Attempts, CreatedAt: d.CreatedAt, FinishedAt: d.FinishedAt, RedeliveryOf: d.RedeliveryOf, Seq: d.Seq}
}

// Deliveries lists webhooks, newest first, at least one and at most f.Limit.
func (a *Admin) Deliveries(ctx context.Context, f lists.AcrossDeliveryFilter) ([]Delivery, error) {
	if f.Limit < 1 {
		return nil, misread("the limit must be 1 or more")
	}
	if f.Status != "" && !slices.Contains(pay.DeliveryStatuses, f.Status) {
		return nil, misread("there is no status %q: pending, delivered and exhausted are", f.Status)
	}
	rows, err := lists.DeliveriesAcross(ctx, a.Store, f)
	if err != nil {
		return nil, err
	}
	return a.withAttempts(ctx, rows)
}

// DeliveriesOf lists the webhooks about a payin or payout, oldest first.
func (a *Admin) DeliveriesOf(ctx context.Context, subject uuid.UUID) ([]Delivery, error) {
	rows, err := a.Store.DeliveriesOf(ctx, subject)
	if err != nil {
		return nil, err
	}
	return a.withAttempts(ctx, rows)
}

// withAttempts shows deliveries with their newest tries, and with the problems of their jobs.
func (a *Admin) withAttempts(ctx context.Context, rows []pay.Delivery) ([]Delivery, error) {
	out, ids := make([]Delivery, len(rows)), make([]uuid.UUID, len(rows))
	for i := range rows {
		out[i], ids[i] = viewDelivery(&rows[i]), rows[i].ID
	}
	attempts, err := a.Store.LastAttempts(ctx, ids)
	if err != nil {
		return nil, err
	}
	problems, err := a.Store.JobErrors(ctx, string(tasks.DeliverWebhook), ids)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if last, tried := attempts[out[i].ID]; tried {
			out[i].LastAttempt = &Attempt{last.At, last.Status, last.Error, last.DurationMS}
		}
		if why, failed := problems[out[i].ID]; failed {
			out[i].LastError = &why
		}
	}
	return out, nil
}

// NextTry returns the job of a delivery's next try, with the reason why it was put off, nil once the delivery has ended; and the
// delivery ahead of it, nil when it is its turn.
func (a *Admin) NextTry(ctx context.Context, d *pay.Delivery) (next *store.JobRow, ahead *pay.Delivery, err error) {
	if d.Status != pay.DeliveryPending {
		return nil, nil, nil
	}
	if ahead, err = a.Store.DeliveryAhead(ctx, d); err != nil {
		return nil, nil, err
	}
	next, err = a.Store.Job(ctx, string(tasks.DeliverWebhook), d.ID)
	return next, ahead, err
}

// Redeliver sends a webhook once more, as a delivery of its own with data.is_duplicated true (addendum §11). Deliveries of one
// subject go out in order: those ahead of it are tried at once.
func (a *Admin) Redeliver(ctx context.Context, id uuid.UUID) (*Delivery, error) {
	var view Delivery
	err := a.Change(ctx, "webhook.redeliver", "delivery:"+id.String(), func(tx *store.Store) (before, after any, err error) {
		d, err := tx.Delivery(ctx, id)
		if err != nil {
			return nil, nil, named(err, "delivery %s", id)
		}
		body, err := webhooks.Duplicate(d.Body)
		if err != nil {
			return nil, nil, err
		}
		again, err := tx.Redeliver(ctx, d, body, string(tasks.DeliverWebhook))
		if err != nil {
			return nil, nil, err
		}
		view = viewDelivery(again)
		return nil, view, nil
	})
	return &view, err
}
