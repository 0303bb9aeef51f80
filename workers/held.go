package workers

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/tasks"
)

// unheld says that the ledger does not hold what a payout was debited, by the payout's id. Nothing is signed, settled or refunded
// for such a payout: its row was not written by the service, or changed since.
type unheld string

// Error implements error.
func (u unheld) Error() string {
	return fmt.Sprintf("the ledger does not hold the debit of payout %s: it is neither paid nor refunded before a person has looked at it", string(u))
}

// holdsOf returns the digests of the entries that hold the debits of payouts.
func holdsOf(payouts []*pay.Payout) [][]byte {
	holds := make([][]byte, len(payouts))
	for i, p := range payouts {
		holds[i] = ledger.PayoutHeld(p).Digest
	}
	return holds
}

// held fails with unheld unless the ledger holds the debits of payouts, and nothing has ended that.
func held(ctx context.Context, tx *store.Store, payouts ...*pay.Payout) error {
	not, err := tx.Unheld(ctx, payouts, holdsOf(payouts), "")
	if err == nil && len(not) > 0 {
		err = unheld(not[0].String())
	}
	return err
}

// wasHeld is held for another payment of a payout, which may have been completed before its network undid that.
func wasHeld(ctx context.Context, tx *store.Store, p *pay.Payout) error {
	if p.Status != pay.PayoutCompleted {
		return held(ctx, tx, p)
	}
	not, err := tx.Unheld(ctx, []*pay.Payout{p}, holdsOf([]*pay.Payout{p}), "payout_settled")
	if err == nil && len(not) > 0 {
		err = unheld(not[0].String())
	}
	return err
}

// withHold returns those payouts whose debits the ledger holds. The others stay as they are, for a person.
func (w *Workers) withHold(ctx context.Context, tx *store.Store, payouts []*pay.Payout) ([]*pay.Payout, error) {
	if len(payouts) == 0 {
		return nil, nil
	}
	not, err := tx.Unheld(ctx, payouts, holdsOf(payouts), "")
	return w.withoutUnheld(payouts, not), err
}

// withoutUnheld returns the payouts without those that are not held, which it logs.
func (w *Workers) withoutUnheld(payouts []*pay.Payout, not []uuid.UUID) []*pay.Payout {
	for _, id := range not {
		if w.Fresh(string(tasks.BroadcastPayout)+" "+id.String(), unheld("").Error()) {
			w.Log.WithField("payout", id).Error(unheld(id.String()).Error())
		}
	}
	return slices.DeleteFunc(payouts, func(p *pay.Payout) bool { return slices.Contains(not, p.ID) })
}
