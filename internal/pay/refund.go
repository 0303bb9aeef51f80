package pay

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Refund gives a payer back something of a payin, in the token and on the network in which it came (api-v1 §Refunds). It is paid by a
// payout. Without one it is a promise: its link lets the payer say where to.
type Refund struct {
	ID            uuid.UUID `bun:",pk"`
	MerchantID    uuid.UUID
	PayinID       uuid.UUID
	KeyID         string // as of a payout
	ReferenceID   string
	Network       string
	Token         string
	Amount        decimal.Decimal // of what came: what the payer gets, with the fees where they are taken from it
	FeeFromAmount bool
	Description   string // for the payer; "" for none
	WebhookURL    string
	PayoutID      *uuid.UUID // nil until the payer has said where to
	CreatedAt     time.Time  `bun:",nullzero,default:now()"`
	ExpiresAt     *time.Time // of its link; nil for a refund without one
	RevokedAt     *time.Time
}

// RefundStatus is where a refund stands.
type RefundStatus string

// The statuses of a refund.
const (
	RefundOpen      RefundStatus = "open"      // the payer may say where to
	RefundExpired   RefundStatus = "expired"   // nobody has, within its time
	RefundRevoked   RefundStatus = "revoked"   // nobody may any more
	RefundPending   RefundStatus = "pending"   // the payout is on its way
	RefundCompleted RefundStatus = "completed" // the payout is final on the network
	RefundFailed    RefundStatus = "failed"    // the payout failed, and its debit came or comes back to the merchant
)

// Status derives the status of a refund at a moment. Payout is its payout, nil without one.
func (r *Refund) Status(payout *Payout, now time.Time) RefundStatus {
	switch {
	case payout != nil && payout.Status == PayoutCompleted:
		return RefundCompleted
	case payout != nil && payout.Status.Ended():
		return RefundFailed
	case payout != nil:
		return RefundPending
	case r.RevokedAt != nil:
		return RefundRevoked
	case r.ExpiresAt == nil || !now.Before(*r.ExpiresAt):
		return RefundExpired
	}
	return RefundOpen
}

// Refundable is what came for a payin in one token on one network, is final there, and what of it was refunded or promised.
type Refundable struct {
	Network  string
	Token    string
	Arrived  decimal.Decimal
	Counted  decimal.Decimal // of that, towards the payin, in its own token
	Refunded decimal.Decimal // by open links, and by payouts whose debit has not come back
}

// Left is what may still be refunded; never below zero.
func (r *Refundable) Left() decimal.Decimal {
	return decimal.Max(decimal.Zero, r.Arrived.Sub(r.Refunded))
}

// CameIn returns what came in a token: on the given network, or else on another one. Nil is nothing.
func CameIn(all []Refundable, network, token string) (found *Refundable) {
	for i := range all {
		if all[i].Token == token && (found == nil || all[i].Network == network) {
			found = &all[i]
		}
	}
	return found
}

// The words for an amount to be refunded.
const (
	RefundAll      = "all"      // all that is left
	RefundOverpaid = "overpaid" // what was paid too much
)

// RefundedPart is what one of the words for an amount comes to in a token.
func RefundedPart(word string, p *Payin, all []Refundable, came *Refundable) decimal.Decimal {
	switch {
	case word == RefundAll:
		return came.Left()
	case word == RefundOverpaid && came.Token == p.Token && came.Network == p.Network:
		return Overpaid(p, all)
	}
	return decimal.Zero
}

// Overpaid is what of the payin's token may be refunded as paid too much: what came beyond the amount asked for, less what was refunded
// already. It is zero where the token did not come.
func Overpaid(p *Payin, all []Refundable) decimal.Decimal {
	over, left := p.Amount.Neg(), decimal.Zero
	for i := range all {
		over = over.Add(all[i].Counted)
		if all[i].Network == p.Network && all[i].Token == p.Token {
			over, left = over.Sub(all[i].Refunded), all[i].Left()
		}
	}
	return decimal.Max(decimal.Zero, decimal.Min(over, left))
}

// Destination is where a payer wants a refund.
type Destination struct{ Wallet, Memo string }

// Promised is a refund as its payer sees it.
type Promised struct {
	Refund   *Refund
	Merchant string // its name
	Look     Look   // of its page
	Order    string // the payin, as its payer has read it
	Status   RefundStatus
	Payout   *Payout // nil until the payer has said where to
	Memo     bool    // the token takes a memo
	Contract string  // of the token; "" for a native coin
}

// RefundForm is a refund that a person of a merchant asks for in the panel.
type RefundForm struct {
	Form        uuid.UUID // the same form records one refund, however often it is sent
	Merchant    uuid.UUID
	Email       string // of the person
	Payin       uuid.UUID
	Token       string
	Amount      string // all, overpaid, or of the token
	FeesFrom    bool   // the fees are taken from the amount
	Wallet      string // empty = by a link
	Memo        string
	Description string

	// What the person was shown before they confirmed: what the recipient gets, and what is taken from the balance. Null before that.
	ShownAmount, ShownDebit decimal.NullDecimal
}

// Reference is the reference of the refund.
func (f *RefundForm) Reference() string { return PanelReference(f.Form, 0) }

// Refunding is what a form records, or would. Payout is nil for a link. Second says why a second person confirms the payout; empty for
// none.
type Refunding struct {
	Refund *Refund
	Payout *Payout
	Second string
}
