package workers

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"causeway/pay"
	"causeway/store"
)

// approvalPause is how long a payout that waits for approval is left alone; a decision, or another limit, wakes it at once.
const approvalPause = 15 * time.Minute

// overLimit says that a payout waits for an operator, and why (operator §Console).
type overLimit struct{ why string }

// Error implements error.
func (o overLimit) Error() string { return "waits for approval: " + o.why }

// approved is nil when no payout is above a limit of its merchant without an operator's approval. The transaction that signs
// asks once more (store.BeginSigning).
func approved(ctx context.Context, tx *store.Store, payouts ...*pay.Payout) error {
	over, err := tx.OverLimits(ctx, idsOf(payouts))
	if err != nil {
		return err
	}
	for _, why := range over {
		return overLimit{why}
	}
	return nil
}

// orHold puts a payout among those that wait for approval when that is why it cannot be signed, and returns any other
// error as it is. The merchant's row keeps its limits as they are meanwhile: when they, or a decision, have changed since
// the error, or it was cancelled, the payout is looked at again at once.
func (w *Workers) orHold(ctx context.Context, j store.DueJob, p *pay.Payout, err error) error {
	var over overLimit
	if !errors.As(err, &over) {
		return err
	}
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if _, err := tx.MerchantForUpdate(ctx, p.MerchantID); err != nil {
			return err
		}
		if err := tx.AskApproval(ctx, p.ID, over.why); err != nil {
			return err
		}
		if err := fenced(tx.RetryJob(ctx, j, approvalPause, over.Error())); err != nil {
			return err
		}
		still, err := tx.OverLimits(ctx, []uuid.UUID{p.ID}) // the job is locked: who decides or cancels has been, or makes it due after this
		if err == nil && still[p.ID] == "" {
			err = tx.AddJob(ctx, j.Kind, j.Ref, 0)
		}
		return err
	})
}
