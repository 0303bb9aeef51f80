package api

import (
	"context"
	"errors"

	"github.com/google/uuid"

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

// Made returns the payout that a form has recorded; nil where it has recorded none. A form that has recorded something else is refused.
func (w *Withdrawals) Made(ctx context.Context, n *Withdrawal) (*pay.Payout, error) {
	p, err := w.Payouts.Store.PanelPayout(ctx, n.Merchant, pay.PanelReference(n.Form))
	switch {
	case errors.Is(err, pay.ErrNotFound):
		return nil, nil //nolint:nilnil // none is an answer
	case err != nil:
		return nil, err
	case !n.is(p):
		return nil, errOtherForm
	}
	return p, nil
}

// Rehearse makes every check and returns the payout that Record would record now, with its fees. Nothing is recorded. A *pay.Error
// says why there would be none; with ErrDearer the payout says what it would cost now.
func (w *Withdrawals) Rehearse(ctx context.Context, n *Withdrawal) (*pay.Payout, error) {
	item, err := w.item(ctx, n)
	if err != nil {
		return nil, err
	}
	outcomes, err := w.Payouts.Store.RehearsePayouts(ctx, []store.PayoutItem{*item})
	if err != nil {
		return nil, err
	}
	if err := refusalOf(&outcomes[0]); err != nil {
		return nil, err
	}
	if n.dearer(item.Payout) {
		return item.Payout, ErrDearer
	}
	return item.Payout, nil
}

// Record records the payout of a form, and returns the id under which it is. A form sent again returns the same id. After Uncertain the
// payout may have been recorded; after any other error it was not.
func (w *Withdrawals) Record(ctx context.Context, n *Withdrawal) (uuid.UUID, error) {
	if was, err := w.Made(ctx, n); was != nil || err != nil {
		return idOf(was), err
	}
	item, err := w.item(ctx, n)
	if err != nil {
		return uuid.Nil, err
	}
	if n.dearer(item.Payout) {
		return uuid.Nil, ErrDearer
	}
	outcomes, err := w.Payouts.Recorder.Record([]store.PayoutItem{*item})
	if err != nil {
		return uuid.Nil, Uncertain{err}
	}
	if outcomes[0].Outcome == outcomeCreated {
		return item.Payout.ID, nil
	}
	// The same form at the same moment may have been first, and taken the money or the reference.
	if was, err := w.Made(ctx, n); was != nil || err != nil {
		return idOf(was), err
	}
	return uuid.Nil, refusalOf(&outcomes[0])
}

func idOf(p *pay.Payout) uuid.UUID {
	if p == nil {
		return uuid.Nil
	}
	return p.ID
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

// Refused returns the sentence for a person about a withdrawal that was refused for certain; false for any other error.
func Refused(err error) (string, bool) {
	var refused *pay.Error
	if !errors.As(err, &refused) {
		return "", false
	}
	return refused.Message, true
}
