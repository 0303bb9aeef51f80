package payouts

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"causeway/internal/store"
	"causeway/workers/desk"
)

// errUnconfirmed says that a withdrawal waits for a second person of its merchant (panel §A second person).
var errUnconfirmed = errors.New("waits for a second person of its merchant")

// orConfirm lets a withdrawal wait for a second person of its merchant. One that has waited too long is cancelled. One that waits no more
// is looked at again at once.
func (w *Worker) orConfirm(ctx context.Context, b *broadcast) error {
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if err := desk.Fenced(tx.RetryJob(ctx, b.job, approvalPause, errUnconfirmed.Error())); err != nil {
			return err
		}
		// the job is locked: a confirmation is seen here, or makes the job due after this
		waiting, err := tx.Unconfirmed(ctx, []uuid.UUID{b.payout.ID})
		if err != nil {
			return err
		}
		ended, waits := waiting[b.payout.ID]
		if waits && !ended {
			return nil
		}
		if ended {
			if _, err := tx.CancelPayout(ctx, b.payout.ID); err != nil {
				return err
			}
		}
		return tx.AddJob(ctx, b.job.Kind, b.job.Ref, 0)
	})
}
