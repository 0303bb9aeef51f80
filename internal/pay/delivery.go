package pay

import (
	"time"

	"github.com/google/uuid"
)

// Event names the change told by a webhook (api-v1 §Events).
type Event string

// The events.
const (
	PaymentProcessed Event = "payment_processed" // a payout is done
	PaymentFailed    Event = "payment_failed"    // a payout cannot be completed, a payin expired
	PaymentDetected  Event = "payment_detected"  // a first transfer was seen
	PaymentConfirmed Event = "payment_confirmed" // a payin is completed
	PaymentReversed  Event = "payment_reversed"  // the network undid a credited payin
	PaymentUpdated   Event = "payment_updated"   // the money of a payin changed, and no other event says so
)

// Events are all of them.
var Events = []Event{PaymentProcessed, PaymentFailed, PaymentDetected, PaymentConfirmed, PaymentReversed, PaymentUpdated}

// Why payment_updated is sent (api-v1 §Payment updates).
const (
	UpdatePartial  = "partial"  // a credit; the payin is not complete yet
	UpdateOverpaid = "overpaid" // a credit; more has come than was asked for
	UpdateLate     = "late"     // a credit to a failed payin; it is still not complete
	UpdateFinal    = "final"    // every credit is final
)

// The statuses of a delivery (addendum §11).
const (
	DeliveryPending   = "pending"   // still to go out, or to be tried again
	DeliveryDelivered = "delivered" // the receiver has taken it
	DeliveryExhausted = "exhausted" // given up
)

// DeliveryStatuses are all of them.
var DeliveryStatuses = []string{DeliveryPending, DeliveryDelivered, DeliveryExhausted}

// Delivery is one event to one receiver. It is recorded in the transaction of its change (addendum §11).
type Delivery struct {
	ID         uuid.UUID `bun:",pk"`
	Seq        int64     `bun:",autoincrement"`
	MerchantID uuid.UUID
	Subject    uuid.UUID // the payin or payout; deliveries of one subject go out in order of Seq
	Event      Event
	URL        string
	Body       []byte
	Status     string // one of DeliveryStatuses
	Attempts   int
	CreatedAt  time.Time
	FinishedAt *time.Time
	// RedeliveryOf is the earlier delivery, if an operator or the merchant sent it once more as this one; nil for all others.
	RedeliveryOf *uuid.UUID
}

// Attempt is one HTTP try of a delivery.
type Attempt struct {
	DeliveryID uuid.UUID `bun:",pk"`
	Attempt    int       `bun:",pk"`
	At         time.Time
	Status     int // HTTP status; 0 when there was no answer
	Error      string
	DurationMS int    `bun:"duration_ms"`
	AnswerHead string // headers of an answer other than 2xx, a line each
	AnswerBody string // the beginning of its body
}
