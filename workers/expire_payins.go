package workers

import (
	"context"

	"github.com/google/uuid"

	"causeway/pay"
	"causeway/store"
	"causeway/tasks"
)

// expireAtOnce is how many payins expire in one transaction.
const expireAtOnce = 200

// expirePayins fails pending payins past their time, unless a transfer that was seen, or undone and not looked for since, holds them,
// or their network has not been followed past that time: what was paid in time may lie there unseen. A network that is no longer
// configured, and was not followed for a while, holds nothing. What was credited stays on the balance (addendum §8).
func (w *Workers) expirePayins(ctx context.Context) error {
	followed := []string{}
	for _, n := range w.Networks.All() {
		followed = append(followed, n.Name)
	}
	for {
		expired := 0
		err := w.record(ctx, func(tx *store.Store) (ring []tasks.Job, err error) {
			ring, expired, err = expireSome(ctx, tx, followed)
			return ring, err
		})
		if err != nil || expired < expireAtOnce {
			return err
		}
	}
}

func expireSome(ctx context.Context, tx *store.Store, followed []string) (ring []tasks.Job, expired int, err error) {
	due, err := tx.DuePayins(ctx, followed, expireAtOnce)
	if err != nil || len(due) == 0 {
		return nil, 0, err
	}
	ids := make([]uuid.UUID, len(due))
	for i := range due {
		ids[i] = due[i].ID
	}
	transfers, err := tx.TransfersOf(ctx, ids...)
	if err != nil {
		return nil, 0, err
	}
	var deliveries []pay.Delivery
	for i := range due {
		p := &due[i]
		p.Status = pay.PayinFailed
		if err := tx.SavePayin(ctx, p); err != nil {
			return nil, 0, err
		}
		if deliveries, err = addNotice(ctx, tx, deliveries, pay.PaymentFailed, p, transfers[p.ID]); err != nil {
			return nil, 0, err
		}
	}
	ring, err = notices(ctx, tx, deliveries)
	return ring, len(due), err
}
