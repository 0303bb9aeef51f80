package panel

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// ErrDearer means that a withdrawal would cost more, or bring the recipient less, than was shown. Nothing was recorded.
var ErrDearer = errors.New("the fees have changed since they were shown")

// Withdrawn is what became of a withdrawal, or would. A people.Refusal, and ErrDearer, say for certain that nothing was recorded, and with
// ErrDearer Payout says what it would cost now. After any other error it may have been. Second says why a second person confirms it; empty
// for none.
type Withdrawn struct {
	Payout *pay.Payout
	Second string
	Err    error
}

// Withdrawals records the withdrawals of a form: of one, or of the lines of a file. An error of a method means that nothing was recorded.
type Withdrawals interface {
	// Made returns the payouts that the form has recorded, in the order of its withdrawals; nil where it has recorded none.
	Made(ctx context.Context, asked []*pay.Withdrawal) ([]*pay.Payout, error)
	// Rehearse returns what Record would record now: of several, each after those before it.
	Rehearse(ctx context.Context, asked []*pay.Withdrawal) ([]Withdrawn, error)
	// Record records the payouts of the form, each once.
	Record(ctx context.Context, asked []*pay.Withdrawal) ([]Withdrawn, error)
	// Allowed returns why a withdrawal that waits for a second person may not be confirmed: the rule of the address book.
	Allowed(ctx context.Context, p *pay.Payout) error
}

// rehearse is Rehearse of one withdrawal.
func (v *visit) rehearse(n *pay.Withdrawal) (Withdrawn, error) {
	would, err := v.panel.Withdrawals.Rehearse(v.Context(), []*pay.Withdrawal{n})
	if err != nil {
		return Withdrawn{}, err
	}
	return would[0], would[0].Err
}

// withdrawPage asks what to withdraw.
func withdrawPage(v *visit) (*room.Page, error) {
	out := &room.Page{Title: "Withdraw", Section: "Withdraw"}
	if closed := v.closed(); closed != nil {
		out.Parts = []room.Part{*closed}
		return out, nil
	}
	what, err := v.withdrawable()
	if err != nil {
		return nil, err
	}
	known, err := v.bookField()
	if err != nil {
		return nil, err
	}
	out.Parts = []room.Part{{Note: "The fees and what the recipient gets are shown before anything is recorded.",
		Links: []room.Link{{Text: "Withdraw by a file of many lines", Href: Prefix + "withdraw/sheet"}},
		Forms: []room.Form{{Action: Prefix + "withdraw/check", Verb: "Continue", Fields: []room.Field{
			chosenFrom(what),
			{Name: "amount", Label: "Amount", Kind: "text", Required: true}, known, {Name: "wallet", Label: "Address", Kind: "text"},
			{Name: "memo", Label: "Memo", Kind: "text", Hint: "only where the recipient asks for one"},
			{Name: "fees_from", Label: "take the fees from the amount", Kind: "check"}}}}}}
	return out, nil
}

// closed says why the person cannot withdraw; nil for one who can.
func (v *visit) closed() *room.Part {
	switch {
	case !v.May(people.Withdraw):
		return &room.Part{Note: "Your role can view this page but not withdraw."}
	case !v.coded():
		return &room.Part{Mood: "warn", Note: "Money is withdrawn only by somebody who logs in with a code or a passkey. Set it up under your name first."}
	}
	if settled, settles := v.settled(); !settled {
		return &room.Part{Mood: "warn", Note: v.waits(settles)}
	}
	return nil
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

// chosenFrom asks for one of the tokens with their networks. The form names none before: what comes first in a list is nobody's choice.
func chosenFrom(what []room.Option) room.Field {
	return room.Field{Name: "what", Label: "Token and network", Kind: "select", Required: true, Options: append([]room.Option{{Text: "choose"}}, what...)}
}

// bookField offers the addresses of the book that may be used by now.
func (v *visit) bookField() (room.Field, error) {
	found, err := v.panel.Store.Book(v.Context(), v.Merchant)
	f := room.Field{Name: "book", Label: "From the address book", Kind: "select", Options: []room.Option{{Text: "none: the address is below"}}}
	for i := range found {
		if a := &found[i]; a.Usable {
			f.Options = append(f.Options, room.Option{Value: a.ID.String(), Text: a.Name + ": " + room.Cut(a.Address) + " on " + a.Network})
		}
	}
	return f, err
}

// fromBook puts the chosen address of the book into a withdrawal.
func (v *visit) fromBook(n *pay.Withdrawal) error {
	id := room.ID(v.given("book"))
	if v.given("book") == "" {
		return nil
	}
	found, err := v.panel.Store.Book(v.Context(), v.Merchant)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(found, func(a store.BookAddress) bool { return a.ID == id })
	switch {
	case at < 0:
		return people.Refusal("the address is not in the address book any more")
	case n.Wallet != "" || n.Memo != "":
		return people.Refusal("give an address, or choose one of the address book: not both")
	case found[at].Network != n.Network:
		return people.Refusal(found[at].Name + " is an address on " + found[at].Network)
	}
	n.Wallet, n.Memo = found[at].Address, found[at].Memo
	return nil
}

// withdrawal reads the form of a withdrawal.
func (v *visit) withdrawal() *pay.Withdrawal {
	token, network, _ := strings.Cut(v.given("what"), "|")
	return &pay.Withdrawal{Form: room.ID(v.given("form")), Merchant: v.Merchant, Email: v.Person.Email, Network: network, Token: token,
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
