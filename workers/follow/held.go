package follow

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/settlement"
)

// withHold returns the payouts whose debits the ledger holds. The others stay as they are, for a person.
func (w *Worker) withHold(ctx context.Context, tx *store.Store, payouts []*pay.Payout) ([]*pay.Payout, error) {
	if len(payouts) == 0 {
		return nil, nil
	}
	not, err := tx.Unheld(ctx, payouts, settlement.HoldsOf(payouts), "")
	return w.withoutUnheld(payouts, not), err
}

// withoutUnheld removes the payouts that are not held, and logs them.
func (w *Worker) withoutUnheld(payouts []*pay.Payout, not []uuid.UUID) []*pay.Payout {
	for _, id := range not {
		if w.Fresh(string(tasks.BroadcastPayout)+" "+id.String(), settlement.Unheld("").Error()) {
			w.Log.WithField("payout", id).Error(settlement.Unheld(id.String()).Error())
		}
	}
	return slices.DeleteFunc(payouts, func(p *pay.Payout) bool { return slices.Contains(not, p.ID) })
}
