package api

import (
	"cmp"
	"context"
	"errors"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// Withdrawals records payouts that people of a merchant ask for in the panel: by the checks of POST /v1/payout and its recorder, at
// the withdrawal rate. The API lists and checks none of them, and no webhook tells of them.
type Withdrawals struct{ Payouts *Payouts }

var (
	errWithdrawable = pay.E(pay.Refused, "account_suspended", "The account is suspended or not verified.")
	errOtherForm    = pay.E(pay.Invalid, "form_used", "This form was used for another withdrawal: begin again.")

	// ErrDearer means that a withdrawal would cost more, or bring the recipient less, than was shown. Nothing was recorded.
	ErrDearer = pay.E(pay.Invalid, "figures_changed", "The fees have changed since they were shown.")
)

// Uncertain is an error after which a withdrawal may have been recorded: its form can be sent again.
type Uncertain struct{ cause error }

// Error implements error.
func (u Uncertain) Error() string {
	return "it is not known whether a withdrawal was recorded: " + u.cause.Error()
}

// Made returns the payouts that a form has recorded, in the order of its withdrawals; nil where it has recorded none. A form that has
// recorded something else is refused. All withdrawals are of one form and merchant.
func (w *Withdrawals) Made(ctx context.Context, asked []*pay.Withdrawal) ([]*pay.Payout, error) {
	references := make([]string, len(asked))
	for i, n := range asked {
		references[i] = n.Reference()
	}
	found, err := w.Payouts.Store.PanelPayouts(ctx, asked[0].Merchant, references)
	if err != nil {
		return nil, err
	}
	out := make([]*pay.Payout, len(asked))
	for i, n := range asked {
		if p := found[references[i]]; p != nil {
			if !isOf(n, p) {
				return nil, errOtherForm
			}
			out[i] = p
		}
	}
	return out, nil
}

// Withdrawn is what became of a withdrawal, or would. A *pay.Error says why there is none; with ErrDearer, Payout says what it would cost
// now. After Uncertain the payout may have been recorded. Second says why a second person confirms it; empty for none.
type Withdrawn struct {
	Payout *pay.Payout
	Second string
	Err    error
}

// Rehearse makes every check and returns what Record would record now: of several, each after those before it. Nothing is recorded.
func (w *Withdrawals) Rehearse(ctx context.Context, asked []*pay.Withdrawal) ([]Withdrawn, error) {
	out, items, at, err := w.items(ctx, asked)
	if err != nil {
		return nil, err
	}
	outcomes, err := w.Payouts.Store.RehearsePayouts(ctx, items)
	if err != nil {
		return nil, err
	}
	for i := range outcomes {
		o := &out[at[outcomes[i].Ord]]
		if err := refusalOf(&outcomes[i]); err != nil {
			o.Err = err
		}
	}
	return out, nil
}

// items makes the checks that need no balance. At has the place among the withdrawals of each item. What is dearer than it was shown is an
// item, but has its error.
func (w *Withdrawals) items(ctx context.Context, asked []*pay.Withdrawal) (out []Withdrawn, items []store.PayoutItem, at []int, err error) {
	checks, err := w.checks(ctx, asked[0])
	if err != nil {
		return nil, nil, nil, err
	}
	out = make([]Withdrawn, len(asked))
	for i, n := range asked {
		item, err := w.item(checks, n)
		if err != nil {
			out[i].Err = err
			continue
		}
		if out[i].Payout = item.Payout; n.Dearer(item.Payout) {
			out[i].Err = ErrDearer
		}
		items, at = append(items, *item), append(at, i)
	}
	why, err := w.second(ctx, checks.catalogue, asked, out)
	for i := range out {
		out[i].Second = why
	}
	return out, items, at, err
}

// Record records the payouts of a form. What it had recorded before is answered and not recorded again. An error means that nothing was
// recorded.
func (w *Withdrawals) Record(ctx context.Context, asked []*pay.Withdrawal) ([]Withdrawn, error) {
	was, err := w.Made(ctx, asked)
	if err != nil {
		return nil, err
	}
	out, items, at, err := w.items(ctx, asked)
	if err != nil {
		return nil, err
	}
	var wanted []store.PayoutItem
	var places []int
	for i, item := range items {
		if was[at[i]] == nil && out[at[i]].Err == nil {
			wanted, places = append(wanted, item), append(places, at[i])
		}
	}
	for i, p := range was {
		if p != nil {
			out[i] = Withdrawn{Payout: p, Second: out[i].Second}
		}
	}
	if err := w.askSecond(ctx, asked[0], out[0].Second, wanted); err != nil {
		return nil, err
	}
	for len(wanted) > 0 {
		n := min(len(wanted), maxPayouts)
		w.record(wanted[:n], places[:n], out)
		wanted, places = wanted[n:], places[n:]
	}
	return w.again(ctx, asked, out), nil
}

// record records a group, and puts what became of it into its places.
func (w *Withdrawals) record(items []store.PayoutItem, places []int, out []Withdrawn) {
	outcomes, err := w.Payouts.Recorder.Record(items)
	for i, place := range places {
		switch {
		case i < len(outcomes):
			out[place].Err = refusalOf(&outcomes[i])
		case err != nil:
			out[place].Err = Uncertain{err}
		}
	}
}

// again looks for the payouts of refused withdrawals: the same form at the same moment may have been first, and taken the money or the
// reference.
func (w *Withdrawals) again(ctx context.Context, asked []*pay.Withdrawal, out []Withdrawn) []Withdrawn {
	var refused []*pay.Withdrawal
	var places []int
	for i := range out {
		if errors.Is(out[i].Err, errInsufficient) || errors.Is(out[i].Err, errDuplicate) {
			refused, places = append(refused, asked[i]), append(places, i)
		}
	}
	if len(refused) == 0 {
		return out
	}
	was, err := w.Made(ctx, refused)
	for i, place := range places {
		switch {
		case errors.Is(err, errOtherForm):
		case err != nil:
			out[place].Err = Uncertain{err}
		case was[i] != nil:
			out[place] = Withdrawn{Payout: was[i], Second: out[place].Second}
		}
	}
	return out
}

// refusalOf is nil for an item that is created.
func refusalOf(o *store.PayoutOutcome) error {
	switch o.Outcome {
	case outcomeCreated:
		return nil
	case outcomeInsufficient:
		return errInsufficient
	default:
		return errDuplicate
	}
}

// Refused returns the sentence for a person about what was refused for certain; false for any other error.
func Refused(err error) (string, bool) {
	var refused *pay.Error
	if !errors.As(err, &refused) {
		return "", false
	}
	return cmp.Or(fieldsWrong(refused), refused.Message), true
}
