package payouts

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
)

// approvalPause is how long a payout waiting for approval is left alone; a decision, or another limit, wakes it at once.
const approvalPause = 15 * time.Minute

// overLimit is the error of a payout waiting for an operator, with the reason (operator §Console).
type overLimit struct{ why string }

// Error implements error.
func (o overLimit) Error() string { return "waits for approval: " + o.why }

// approved is nil when no payout is above a limit of its merchant without an operator's approval, and none waits for a second person of
// its merchant. The signing transaction asks once more (store.BeginSigning).
func approved(ctx context.Context, tx *store.Store, n *chains.Network, payouts ...*pay.Payout) error {
	unconfirmed, err := tx.Unconfirmed(ctx, idsOf(payouts))
	switch {
	case err != nil:
		return err
	case len(unconfirmed) > 0:
		return errUnconfirmed
	}
	over, err := tx.OverLimits(ctx, idsOf(payouts), placesOf(n, payouts...))
	if err != nil {
		return err
	}
	for _, o := range over {
		return overLimit{o.Why}
	}
	return nil
}

// placesOf returns one form for all spellings of each payout's address, for limits of one address.
func placesOf(n *chains.Network, payouts ...*pay.Payout) []string {
	out := make([]string, len(payouts))
	for i, p := range payouts {
		out[i] = strings.ToLower(n.Addresser.Match(p.Wallet))
	}
	return out
}

// orHold puts a payout among those waiting for approval if the error is overLimit; it hands any other error to orCapped. The lock on
// the merchant's row keeps its limits as they are meanwhile. If the limits or a decision have changed since the error, or the payout
// was cancelled, it is looked at again at once. A payout above a limit of an hour or a day by itself waits for a decision: time alone
// would let every payout through.
func (w *Worker) orHold(ctx context.Context, b *broadcast, err error) error {
	j, p := b.job, b.payout
	var over overLimit
	if errors.Is(err, errUnconfirmed) {
		return w.orConfirm(ctx, b)
	}
	if !errors.As(err, &over) {
		return w.orCapped(ctx, b, err)
	}
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if _, err := tx.MerchantForUpdate(ctx, p.MerchantID); err != nil {
			return err
		}
		if err := tx.AskApproval(ctx, p.ID, over.why); err != nil {
			return err
		}
		if err := desk.Fenced(tx.RetryJob(ctx, j, approvalPause, over.Error())); err != nil {
			return err
		}
		// the job is locked: a decision or cancellation is seen here, or makes the job due after this
		still, err := tx.OverLimits(ctx, []uuid.UUID{p.ID}, placesOf(b.network, p))
		switch is, above := still[p.ID]; {
		case err != nil:
			return err
		case !above:
			return tx.AddJob(ctx, j.Kind, j.Ref, 0)
		case is.Windowed:
			return tx.HoldForDecision(ctx, p.ID, is.Why)
		default:
			return nil
		}
	})
}

func idsOf(payouts []*pay.Payout) []uuid.UUID {
	ids := make([]uuid.UUID, len(payouts))
	for i, p := range payouts {
		ids[i] = p.ID
	}
	return ids
}
