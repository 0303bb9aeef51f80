package pay

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// PaymentLink is an address for any number of payers. Each payer makes, by choosing, a payment request of their own (api-v1
// §Payment links).
type PaymentLink struct {
	ID          uuid.UUID `bun:",pk"`
	MerchantID  uuid.UUID
	KeyID       string
	Slug        string // the end of the address, of one link only
	Label       string // for the payer
	Description string
	Offers      []Offer             `bun:"type:jsonb"` // what may be chosen; empty for everything
	Amount      decimal.NullDecimal // null: the payer says it
	Least, Most decimal.NullDecimal // bounds of the payer's amount; null for none
	Currency    string              // a fiat currency, or the symbol of a token
	IsFiat      bool
	WebhookURL  string
	ReturnURL   string
	CancelURL   string
	Colour      string // as of a payment request
	Support     string
	CreatedAt   time.Time  `bun:",nullzero,default:now()"`
	EndedAt     *time.Time // nil while it works
}

// LinkStatus is whether payers may use a payment link.
type LinkStatus string

// The statuses of a payment link.
const (
	LinkOpen  LinkStatus = "open"
	LinkEnded LinkStatus = "ended" // for good
)

// Status is where the link stands. A suspended merchant takes nothing by an open one.
func (l *PaymentLink) Status() LinkStatus {
	if l.EndedAt != nil {
		return LinkEnded
	}
	return LinkOpen
}

// LinkLifetime is how long a payment request of a link is open.
const LinkLifetime = 4 * time.Hour

// Takes reports whether a payer may pay an amount by the link.
func (l *PaymentLink) Takes(amount decimal.Decimal) bool {
	if l.Amount.Valid {
		return amount.Equal(l.Amount.Decimal)
	}
	return amount.IsPositive() && (!l.Least.Valid || !amount.LessThan(l.Least.Decimal)) && (!l.Most.Valid || !amount.GreaterThan(l.Most.Decimal))
}

// Request is the payment request of one payer, who pays this amount.
func (l *PaymentLink) Request(id uuid.UUID, amount decimal.Decimal) *PaymentRequest {
	return &PaymentRequest{ID: id, MerchantID: l.MerchantID, KeyID: l.KeyID, LinkID: &l.ID, ReferenceID: l.Slug + "-" + id.String(), Label: l.Label, Amount: amount,
		Currency: l.Currency, IsFiat: l.IsFiat, Description: l.Description, Items: []Item{}, Offers: l.Offers, WebhookURL: l.WebhookURL,
		ReturnURL: l.ReturnURL, CancelURL: l.CancelURL, Colour: l.Colour, Support: l.Support}
}

// OfferedLink is a link as a payer sees it. Without an amount nothing is offered yet.
type OfferedLink struct {
	Link     *PaymentLink
	Merchant string // its name
	Look     Look   // of its page
	Open     bool   // payers can use it now
	Tokens   []OfferedToken
}

// LinkForm is a payment link that a person of a merchant asks for in the panel. Amount is empty where the payer says it.
type LinkForm struct {
	RequestForm
	Slug        string // empty for a random one
	Least, Most string
}
