package workers

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"causeway/pay"
	"causeway/store"
	"causeway/tasks"
)

// tellPayins brings payins up to date with their transfers and records what their merchants are told: that a first
// transfer was seen, and that enough has arrived. It returns the jobs to ring after the commit.
func (w *Workers) tellPayins(ctx context.Context, tx *store.Store, seen []uuid.UUID, credited map[uuid.UUID]*pay.Payin) ([]tasks.Job, error) {
	ids := unique(append(seen, keysOf(credited)...))
	if len(ids) == 0 {
		return nil, nil
	}
	known, err := readPayins(ctx, tx, ids, credited)
	if err != nil {
		return nil, err
	}
	var deliveries []pay.Delivery
	var toSave []*pay.Payin
	for _, id := range ids {
		p := known.payins[id]
		var events []pay.Event
		if !known.detected[id] {
			events = append(events, pay.PaymentDetected)
		}
		changed, completed, err := noteReceived(p, known.transfers[id], known.failed[id])
		if err != nil {
			return nil, err
		}
		if changed {
			toSave = append(toSave, p)
		}
		if completed {
			events = append(events, pay.PaymentConfirmed)
		}
		for _, e := range events {
			if deliveries, err = addNotice(deliveries, e, p, known.transfers[id], known.urls); err != nil {
				return nil, err
			}
		}
	}
	if err := tx.SavePayins(ctx, toSave); err != nil {
		return nil, err
	}
	return notices(ctx, tx, deliveries)
}

// knownPayins is what is known of payins by id: their rows, locked, and whether their merchants were told of a first
// transfer, by that event or by one that follows it, and of a failure.
type knownPayins struct {
	payins           map[uuid.UUID]*pay.Payin
	transfers        map[uuid.UUID]*pay.PayinTransfers
	detected, failed map[uuid.UUID]bool
	urls             map[uuid.UUID]string // of noticeURLs
}

// readPayins reads what of them is not held already.
func readPayins(ctx context.Context, tx *store.Store, ids []uuid.UUID, held map[uuid.UUID]*pay.Payin) (k knownPayins, err error) {
	missing := slices.DeleteFunc(slices.Clone(ids), func(id uuid.UUID) bool { return held[id] != nil })
	if k.payins, err = tx.PayinsForUpdate(ctx, missing); err != nil {
		return k, err
	}
	maps.Copy(k.payins, held)
	if k.urls, err = noticeURLs(ctx, tx, maps.Values(k.payins)); err != nil {
		return k, err
	}
	if k.transfers, err = tx.TransfersOf(ctx, ids...); err != nil {
		return k, err
	}
	told, err := tx.Told(ctx, ids, pay.PaymentDetected, pay.PaymentFailed, pay.PaymentConfirmed, pay.PaymentReversed)
	k.detected, k.failed = told[pay.PaymentDetected], told[pay.PaymentFailed]
	for _, later := range []pay.Event{pay.PaymentConfirmed, pay.PaymentReversed} { // an assigned transfer is not told as detected
		maps.Copy(k.detected, told[later])
	}
	return k, err
}

// noteReceived notes what a payin has received: whether it is to be saved, and whether that has just completed it. It may have
// everything back without having received more: what was credited without a price counts nothing.
func noteReceived(p *pay.Payin, transfers *pay.PayinTransfers, failedBefore bool) (changed, completed bool, err error) {
	received := transfers.Counted()
	whole, err := wholeAgain(p)
	if err != nil || received.Equal(p.Received) && !whole {
		return false, false, err
	}
	p.Received = received
	if p.Enough() && p.Status.May(pay.PayinCompleted) {
		p.Status, completed = pay.PayinCompleted, true
	}
	if whole {
		forgive(p, failedBefore)
	}
	return true, completed, nil
}
