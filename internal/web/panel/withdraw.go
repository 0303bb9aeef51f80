package panel

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/web/room"
)

// Withdrawal is what a person asks for: one payout, at the withdrawal rate.
type Withdrawal struct {
	Form     uuid.UUID // of the form: the same form records one payout, however often it is sent
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

// ErrDearer means that a withdrawal would cost more, or bring the recipient less, than was shown. Nothing was recorded.
var ErrDearer = errors.New("the fees have changed since they were shown")

// Withdrawals records withdrawals. A people.Refusal, and ErrDearer, say for certain that nothing was recorded.
type Withdrawals interface {
	// Made returns the payout that the form has recorded; nil where it has recorded none.
	Made(ctx context.Context, n *Withdrawal) (*pay.Payout, error)
	// Rehearse returns the payout that Record would record now, with ErrDearer too.
	Rehearse(ctx context.Context, n *Withdrawal) (*pay.Payout, error)
	// Record returns the id of the form's payout.
	Record(ctx context.Context, n *Withdrawal) (uuid.UUID, error)
}

// withdrawPage asks what to withdraw.
func withdrawPage(v *visit) (*room.Page, error) {
	out := &room.Page{Title: "Withdraw", Section: "Withdraw"}
	switch {
	case !v.May(people.Withdraw):
		out.Parts = []room.Part{{Note: "Your role can view this page but not withdraw."}}
		return out, nil
	case v.Person.TOTP == nil:
		out.Parts = []room.Part{{Mood: "warn", Note: "Money is withdrawn only by somebody who logs in with a code. Set it up under your name first."}}
		return out, nil
	}
	what, err := v.withdrawable()
	if err != nil {
		return nil, err
	}
	out.Parts = []room.Part{{Note: "The fees and what the recipient gets are shown before anything is recorded.",
		Forms: []room.Form{{Action: Prefix + "withdraw/check", Verb: "Continue", Fields: []room.Field{
			{Name: "what", Label: "Token and network", Kind: "select", Options: what},
			{Name: "amount", Label: "Amount", Kind: "text", Required: true}, {Name: "wallet", Label: "Address", Kind: "text", Required: true},
			{Name: "memo", Label: "Memo", Kind: "text", Hint: "only where the recipient asks for one"},
			{Name: "fees_from", Label: "take the fees from the amount", Kind: "check"}}}}}}
	return out, nil
}

// withdrawable are the tokens with their networks that can be withdrawn.
func (v *visit) withdrawable() (out []room.Option, err error) {
	tokens, err := v.panel.Store.Tokens(v.Context())
	for i := range tokens {
		if t := &tokens[i]; t.Active && t.Withdrawals {
			out = append(out, room.Option{Value: t.Symbol + "|" + t.Network, Text: t.Symbol + " on " + t.Network})
		}
	}
	return out, err
}

// withdrawal reads the form of a withdrawal.
func (v *visit) withdrawal() *Withdrawal {
	token, network, _ := strings.Cut(v.given("what"), "|")
	return &Withdrawal{Form: room.ID(v.given("form")), Merchant: v.Merchant, Email: v.Person.Email, Network: network, Token: token,
		Wallet: v.given("wallet"), Memo: v.given("memo"), Amount: v.given("amount"), FeesFrom: v.given("fees_from") != "",
		ShownAmount: shown(v.given("shown_amount")), ShownDebit: shown(v.given("shown_debit"))}
}

// shown reads a figure that a page has put into its form; null for anything else.
func shown(text string) decimal.NullDecimal {
	const longest = 60
	if len(text) > longest || strings.Trim(text, "0123456789.") != "" {
		return decimal.NullDecimal{}
	}
	amount, err := decimal.NewFromString(text)
	return decimal.NullDecimal{Decimal: amount, Valid: err == nil}
}
