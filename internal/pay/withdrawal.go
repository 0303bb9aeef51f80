package pay

import (
	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Withdrawal is what a person of a merchant asks for in the panel: one payout, at the withdrawal rate.
type Withdrawal struct {
	Form     uuid.UUID // of the form: the same form records one payout, however often it is sent
	Line     int       // of the form's file, from 1: each line is a payout; 0 = a form without a file
	Merchant uuid.UUID
	Email    string // of the person
	Network  string
	Token    string
	Wallet   string
	Memo     string // empty = none
	Amount   string // of the token
	FeesFrom bool   // the fees are taken from the amount

	// What the person was shown before they confirmed: what the recipient gets, and what is taken from the balance. Null before that.
	ShownAmount, ShownDebit decimal.NullDecimal
}

// Reference is the reference of the payout.
func (n *Withdrawal) Reference() string { return PanelReference(n.Form, n.Line) }

// Dearer reports whether a payout costs more than was shown, or brings the recipient less.
func (n *Withdrawal) Dearer(p *Payout) bool {
	return n.ShownDebit.Valid && p.Debit.GreaterThan(n.ShownDebit.Decimal) || n.ShownAmount.Valid && p.Amount.LessThan(n.ShownAmount.Decimal)
}
