package upkeep

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/notices"
)

// expireAtOnce is how many payins expire in one transaction.
const expireAtOnce = 200

// expirePayins fails pending payins past their time. A payin waits while one of its transfers is seen, or undone and not looked for
// since. It also waits while its network is not followed past its time: a payment in time may lie there unseen. A network not
// configured any more, and not followed for a while, holds nothing. Credits stay on the balance (addendum §8,
// docs/decisions/0026-payins-wait-for-their-network-and-memos-rest.md).
func (w *Worker) expirePayins(ctx context.Context) error {
	followed := []string{}
	for _, n := range w.Networks.All() {
		followed = append(followed, n.Name)
	}
	for {
		expired := 0
		err := w.Record(ctx, func(tx *store.Store) (ring []tasks.Job, err error) {
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
	ids, failed := make([]uuid.UUID, len(due)), make([]*pay.Payin, len(due))
	for i := range due {
		ids[i], failed[i] = due[i].ID, &due[i]
	}
	transfers, err := tx.TransfersOf(ctx, ids...)
	if err != nil {
		return nil, 0, err
	}
	urls, err := notices.URLs(ctx, tx, slices.Values(failed))
	if err != nil {
		return nil, 0, err
	}
	var deliveries []pay.Delivery
	for _, p := range failed {
		p.Status = pay.PayinFailed
		if deliveries, err = notices.OfPayin(deliveries, pay.PaymentFailed, p, transfers[p.ID], nil, urls); err != nil {
			return nil, 0, err
		}
	}
	if err := tx.SavePayins(ctx, failed); err != nil {
		return nil, 0, err
	}
	ring, err = notices.Record(ctx, tx, deliveries)
	return ring, len(due), err
}
