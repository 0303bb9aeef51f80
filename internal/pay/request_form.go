package pay

import (
	"time"

	"github.com/google/uuid"
)

// AskedItem is an item as a person has typed it. Its quantity and its amount may be empty, or no numbers.
type AskedItem struct{ Name, Quantity, Amount string }

// RequestForm is a payment request that a person of a merchant asks for in the panel.
type RequestForm struct {
	Form     uuid.UUID // becomes the id of the request: the same form records one, however often it is sent
	Merchant uuid.UUID
	Person   string // the e-mail address
	Actor    string // as the audit names the person

	Label       string // for the payer, as the number of an order
	Amount      string // in Currency
	Currency    string
	Description string
	Customer    string // the customer's e-mail address
	ReturnURL   string
	CancelURL   string
	Colour      string // of its pages, as #rrggbb; empty for the merchant's
	Support     string // where its payer asks; empty for the merchant's
	Items       []AskedItem
	Offers      []Offer // empty for everything
	Lifetime    time.Duration
}
