package pay

import (
	"cmp"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// PaymentRequest asks a payer for an amount, and leaves to him what he pays it with (api-v1 §Payment requests). Each choice of his
// is a payin.
type PaymentRequest struct {
	ID           uuid.UUID `bun:",pk"`
	MerchantID   uuid.UUID
	KeyID        string
	LinkID       *uuid.UUID // the payment link that it was made by; nil for none
	ReferenceID  string
	Amount       decimal.Decimal
	Currency     string // a fiat currency, or the symbol of a token
	IsFiat       bool
	Label        string  // shown to the payer in place of the reference; "" for the reference
	Description  string  // for the payer; "" for none
	Items        []Item  `bun:"type:jsonb"` // what is paid for; may be empty
	Offers       []Offer `bun:"type:jsonb"` // what may be chosen; empty for everything
	CustomerInfo *string
	Email        string // of the customer, for the merchant alone; "" for none
	WebhookURL   string
	ReturnURL    string    // the shop's page after a payment, "" for none
	CancelURL    string    // the shop's page without one, "" for none
	Colour       string    // of its pages in place of the merchant's, rrggbb; "" for the merchant's
	Support      string    // where its payer asks in place of the merchant's; "" for the merchant's
	CreatedAt    time.Time `bun:",nullzero,default:now()"`
	ExpiresAt    time.Time
}

// Called is the name of the request for people.
func (r *PaymentRequest) Called() string { return cmp.Or(r.Label, r.ReferenceID) }

// Item is a thing that a request is paid for. Items are shown, and not added up.
type Item struct {
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
	Amount   string `json:"amount,omitempty"` // of one, in the currency of the request; "" for none
}

// Offer is a token on a network that a payer may choose.
type Offer struct {
	Token   string `json:"crypto_currency"`
	Network string `json:"network"`
}

// Choice is a payin that a payer has chosen.
type Choice struct {
	PayinID   uuid.UUID
	Reference string // of the payin
	Offer
	Status    PayinStatus
	Touched   bool // money has been seen at it
	ExpiresAt time.Time
}

// RequestStatus is where a payment request stands.
type RequestStatus string

// The statuses of a payment request.
const (
	RequestOpen    RequestStatus = "open"    // the payer may choose
	RequestPending RequestStatus = "pending" // money was seen at one of its payins
	RequestPaid    RequestStatus = "paid"    // one of them is completed
	RequestExpired RequestStatus = "expired" // nobody may choose any more
)

// Status derives the status of a request at a moment from its payins.
func (r *PaymentRequest) Status(choices []Choice, now time.Time) RequestStatus {
	touched := false
	for i := range choices {
		if choices[i].Status == PayinCompleted {
			return RequestPaid
		}
		touched = touched || choices[i].Touched
	}
	switch {
	case touched:
		return RequestPending
	case !now.Before(r.ExpiresAt):
		return RequestExpired
	}
	return RequestOpen
}

// Offered is a payment request as its payer sees it.
type Offered struct {
	Request  *PaymentRequest
	Merchant string // its name
	Look     Look   // of its pages
	Status   RequestStatus
	Paying   uuid.UUID // the payin with money, if there is one
	Tokens   []OfferedToken
}

// OfferedToken is what the amount comes to in a token on a network now.
type OfferedToken struct {
	Offer
	Contract string // "" for the native coin
	Amount   decimal.Decimal
}
