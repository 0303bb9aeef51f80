package workers

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"causeway/ledger"
	"causeway/pay"
	"causeway/store"
	"causeway/tasks"
)

// errMovedMeanwhile fails a step whose payouts somebody else has moved since it read them. It is not another attempt's, so that it
// is tried again at once, and an operator sees it when that does not help.
var errMovedMeanwhile = errors.New("payouts whose transactions are final were moved by somebody else meanwhile")

// settle records where transactions of ours stand in the blocks that were followed. At finality a payout is completed, or
// failed and refunded when its transaction moved nothing or its nonce was spent by a cancellation. What the node does not
// know is sent again.
func (w *Workers) settle(ctx context.Context, tx *store.Store, s *step) ([]tasks.Job, error) {
	var resend, done []uuid.UUID
	var final []*pay.SignedTransaction
	var moves []store.SignedMove
	newest := map[uuid.UUID]int{} // of each payout; older ones are only watched
	for i := range s.open {
		newest[s.open[i].PayoutID] = i
	}
	for i := range s.open {
		t := &s.open[i]
		state, again := s.standing(t)
		if newest[t.PayoutID] == i && (again || t.State == pay.TxSent && state == t.State && stuck(s.network, t)) {
			resend = append(resend, t.PayoutID)
		}
		if state != t.State {
			moves = append(moves, moveOf(t, state, s.status[t.Txid]))
			t.State = state
		}
	}
	moved, err := tx.MarkAllSigned(ctx, s.network.Name, moves)
	if err != nil {
		return nil, err
	}
	s.more = s.more || len(s.open) >= w.openAtOnce() && slices.ContainsFunc(moves, func(m store.SignedMove) bool {
		return moved[m.Txid] && m.To != pay.TxSent // the next look would ask for what is sent again
	})
	for i := range s.open {
		if t := &s.open[i]; moved[t.Txid] && (t.State == pay.TxFinal || t.State == pay.TxReverted) {
			final, done = append(final, t), append(done, t.PayoutID)
		}
	}
	if resend, err = tx.Unmined(ctx, unique(resend)); err != nil { // those in a block were not all looked at
		return nil, err
	}
	ring, err := w.conclude(ctx, tx, s, final, unique(done))
	if err != nil {
		return nil, err
	}
	// Jobs are locked after payouts. One that is there comes by itself: this step and the next must not take its time from the
	// attempt that is at it, which would be fenced.
	return ring, tx.PlanJobs(ctx, string(tasks.BroadcastPayout), resend, tasks.RingDelay)
}

// conclude settles or fails the payouts of transactions that have become final, and books what they cost.
func (w *Workers) conclude(ctx context.Context, tx *store.Store, s *step, final []*pay.SignedTransaction, ids []uuid.UUID) ([]tasks.Job, error) {
	if len(final) == 0 {
		return nil, nil
	}
	payouts, err := tx.PayoutsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	if err := tx.MarkAllReplaced(ctx, s.network.Name, final); err != nil {
		return nil, err
	}
	costs, err := w.costs(ctx, tx, s, final, payouts)
	if err != nil {
		return nil, err
	}
	s.entries = append(s.entries, costs...)
	completed, failed := ended(final, payouts)
	moved, err := tx.MovePayouts(ctx, completed, pay.PayoutCompleted)
	if err == nil && moved != len(completed) {
		err = errMovedMeanwhile
	}
	if err != nil {
		return nil, err
	}
	entries, deliveries, err := refunds(ctx, tx, failed)
	if errors.Is(err, errFenced) {
		err = errMovedMeanwhile
	}
	if err != nil {
		return nil, err
	}
	s.entries = append(s.entries, entries...)
	for _, p := range completed {
		p.Status = pay.PayoutCompleted
		d, err := payoutNotice(pay.PaymentProcessed, p)
		if err != nil {
			return nil, err
		}
		s.entries, deliveries = append(s.entries, ledger.PayoutSettled(p)), append(deliveries, d)
	}
	return notices(ctx, tx, deliveries)
}

// costs returns the entries for what final transactions have cost. One that was final once and was undone by a
// reorganisation may cost something else now: what is booked stays, and reconciliation says what that is wrong by.
func (w *Workers) costs(ctx context.Context, tx *store.Store, s *step, final []*pay.SignedTransaction, payouts map[uuid.UUID]*pay.Payout) ([]ledger.Entry, error) {
	var again []uuid.UUID
	for _, t := range final {
		if payouts[t.PayoutID].Status.Public() != "pending" {
			again = append(again, ledger.Gas(t.Network, t.Txid))
		}
	}
	booked, err := tx.GasBooked(ctx, again)
	if err != nil {
		return nil, err
	}
	var entries []ledger.Entry
	for _, t := range final {
		if _, was := booked[ledger.Gas(t.Network, t.Txid)]; !was {
			entries = append(entries, ledger.GasSpent(t.Network, s.network.Coin, t.Txid, s.status[t.Txid].Fee))
		}
	}
	return entries, nil
}

// ended sorts the payouts of final transactions into those that are completed, with the txid that did it, and those that
// failed, with the reason. A payout that had ended before a reorganisation is in neither, and none is there twice: what was paid
// is completed, whatever else of it is final.
func ended(final []*pay.SignedTransaction, payouts map[uuid.UUID]*pay.Payout) (completed, failed []*pay.Payout) {
	done := map[uuid.UUID]bool{}
	for _, moving := range []bool{true, false} {
		for _, t := range final {
			p := payouts[t.PayoutID]
			moves := t.Purpose != pay.PurposeCancel && t.State != pay.TxReverted
			switch {
			case moves != moving || done[p.ID]:
				continue
			case moves && p.Status.May(pay.PayoutCompleted):
				p.Txid = &t.Txid
				completed = append(completed, p)
			case !moves && p.Status.May(pay.PayoutFailed):
				p.Reason, failed = new(against(t, p)), append(failed, p)
			}
			done[p.ID] = true
		}
	}
	return completed, failed
}

// against returns who has decided against a payout whose final transaction moved nothing: the operator, when it only took the
// nonce as the operator had asked, else the network.
func against(t *pay.SignedTransaction, p *pay.Payout) string {
	if t.Purpose == pay.PurposeCancel && p.Cancelling {
		return cancelled
	}
	return notCarriedOut
}
