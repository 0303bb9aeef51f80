package follow

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
	"causeway/tasks"
	"causeway/workers/notices"
)

// tellPayins brings payins up to date with their transfers and records the news for their merchants: a first transfer was seen,
// enough has arrived, or their money has changed otherwise. It returns the jobs to ring after the commit.
func (w *Worker) tellPayins(ctx context.Context, tx *store.Store, seen []*pay.Transfer, c credits) ([]tasks.Job, error) {
	arrived := map[uuid.UUID]bool{}
	for _, t := range seen {
		arrived[*t.PayinID] = true
	}
	ids := store.Unique(append(store.InOrder(arrived), store.InOrder(c.payins)...))
	if len(ids) == 0 {
		return nil, nil
	}
	known, err := readPayins(ctx, tx, ids, seen, c)
	if err != nil {
		return nil, err
	}
	var deliveries []pay.Delivery
	var toSave []*pay.Payin
	var paid []uuid.UUID
	var finals []bool // of paid
	for _, id := range ids {
		p := known.payins[id]
		var events []pay.Event
		if !known.detected[id] && (len(c.credited[id]) > 0 || arrived[id]) { // finality alone is not news of a transfer
			events = append(events, pay.PaymentDetected)
		}
		late := p.Status == pay.PayinFailed || p.Status == pay.PayinReversed && known.failed[id]
		changed, completed, err := noteReceived(p, known.transfers[id], known.failed[id])
		if err != nil {
			return nil, err
		}
		if changed {
			toSave = append(toSave, p)
		}
		late = late || p.Status != pay.PayinCompleted && p.Enough() && !p.GivenBack // it came late, and is worth too little
		update := c.update(p, known.transfers[id], late)
		switch {
		case completed:
			events = append(events, pay.PaymentConfirmed)
			paid, finals = append(paid, id), append(finals, known.transfers[id].Final())
		case update != nil:
			events = append(events, pay.PaymentUpdated)
		}
		for _, e := range events {
			of := update
			if e != pay.PaymentUpdated {
				of = nil
			}
			if deliveries, err = notices.OfPayin(deliveries, e, p, known.transfers[id], of, known.urls); err != nil {
				return nil, err
			}
		}
	}
	if err := tx.SavePayins(ctx, toSave); err != nil {
		return nil, err
	}
	if err := tx.TellPaid(ctx, paid, finals); err != nil {
		return nil, err
	}
	return notices.Record(ctx, tx, deliveries)
}

// update returns the content of payment_updated for a payin after the step; nil where it is muted or nothing has changed. Several
// transfers of a payin credited by one step share one notice: anybody may send any number of them.
func (c *credits) update(p *pay.Payin, transfers *pay.PayinTransfers, late bool) *webhooks.Update {
	moved, reason := c.credited[p.ID], pay.UpdatePartial
	switch {
	case c.muted[p.ID]:
		return nil
	case len(moved) == 0 && transfers.Final():
		moved, reason = c.final[p.ID], pay.UpdateFinal
	case late:
		reason = pay.UpdateLate
	case p.Received.GreaterThan(p.Amount):
		reason = pay.UpdateOverpaid
	}
	if len(moved) == 0 {
		return nil
	}
	u := &webhooks.Update{Reason: reason}
	for _, t := range moved[:min(len(moved), pay.MostShown)] {
		u.Transfers = append(u.Transfers, *t)
	}
	return u
}

// knownPayins are payins by id: their rows, locked, and whether their merchants were told of a first transfer, by its event or a
// later one, and of a failure.
type knownPayins struct {
	payins           map[uuid.UUID]*pay.Payin
	transfers        map[uuid.UUID]*pay.PayinTransfers
	detected, failed map[uuid.UUID]bool
	urls             map[uuid.UUID]string // of notices.URLs
}

// readPayins reads payins, but for rows of them and of their transfers held by the step.
func readPayins(ctx context.Context, tx *store.Store, ids []uuid.UUID, seen []*pay.Transfer, c credits) (k knownPayins, err error) {
	missing := slices.DeleteFunc(slices.Clone(ids), func(id uuid.UUID) bool { return c.payins[id] != nil })
	if k.payins, err = tx.PayinsForUpdate(ctx, missing); err != nil {
		return k, err
	}
	maps.Copy(k.payins, c.payins)
	if k.urls, err = notices.URLs(ctx, tx, maps.Values(k.payins)); err != nil {
		return k, err
	}
	if k.transfers, err = c.held(seen).of(ctx, tx, ids); err != nil {
		return k, err
	}
	told, err := tx.Told(ctx, k.asksTold(ids, seen, c), pay.PaymentDetected, pay.PaymentFailed, pay.PaymentConfirmed, pay.PaymentReversed)
	k.detected, k.failed = told[pay.PaymentDetected], told[pay.PaymentFailed]
	for _, later := range []pay.Event{pay.PaymentConfirmed, pay.PaymentReversed} { // an assigned transfer is not told as detected
		maps.Copy(k.detected, told[later])
	}
	return k, err
}

// asksTold returns the payins with news that depend on earlier news: all but those without an arrival, a credit or a reversal.
func (k *knownPayins) asksTold(ids []uuid.UUID, seen []*pay.Transfer, c credits) []uuid.UUID {
	came := make(map[uuid.UUID]bool, len(seen))
	for _, t := range seen {
		came[*t.PayinID] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id uuid.UUID) bool {
		p := k.payins[id]
		return !came[id] && len(c.credited[id]) == 0 && p.ReversedAt == nil && p.Status != pay.PayinReversed
	})
}

// noteReceived notes how much a payin has received. It reports whether the payin is to be saved, and whether it has just been
// completed. A payin may have everything back without having received more: a credit without a price counts nothing.
func noteReceived(p *pay.Payin, transfers *pay.PayinTransfers, failedBefore bool) (changed, completed bool, err error) {
	received := transfers.Counted()
	whole, err := wholeAgain(p)
	if err != nil || received.Equal(p.Received) && !whole {
		return false, false, err
	}
	p.Received = received
	if p.EnoughBy(transfers) && p.Status.May(pay.PayinCompleted) {
		p.Status, completed = pay.PayinCompleted, true
	}
	if whole {
		forgive(p, failedBefore)
	}
	return true, completed, nil
}
