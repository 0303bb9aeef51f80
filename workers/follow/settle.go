package follow

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
	"causeway/ledger"
	"causeway/tasks"
	"causeway/workers/desk"
	"causeway/workers/notices"
	"causeway/workers/settlement"
)

// errMovedMeanwhile fails a step whose payouts were moved by somebody else since it read them. Unlike a fenced attempt it counts as a
// failure: the step is tried again at once, and an operator sees the error if it stays.
var errMovedMeanwhile = errors.New("payouts whose transactions are final were moved by somebody else meanwhile")

// settle records the states of our transactions in the followed blocks. At finality a move has ended, and a payout is completed, or failed and refunded
// when its transaction moved nothing or its nonce was spent by a cancellation. A transaction is sent again when the node does not
// know it, or it is stuck.
func (w *Worker) settle(ctx context.Context, tx *store.Store, r *reading, out *writing) ([]tasks.Job, error) {
	var resend, done []uuid.UUID
	var final []*pay.SignedTransaction
	var moves []store.SignedMove
	next, err := nextToSendByPayout(ctx, tx, r.open)
	if err != nil {
		return nil, err
	}
	for i := range r.open {
		t := &r.open[i]
		state, again := r.standing(t)
		stays := t.State == pay.TxSent && state == t.State && settlement.Stuck(r.network, t)
		if next[t.PayoutID] == t.Txid && (again || stays) {
			resend = append(resend, t.PayoutID)
		}
		if state != t.State {
			if m := moveOf(t, state, r.status[t.Txid], r.provenAt(t)); len(moves) == 0 || moves[len(moves)-1].Txid != m.Txid {
				moves = append(moves, m) // the rows of a transaction follow each other, and move together
			}
			t.State = state
		}
	}
	moved, err := tx.MarkAllSigned(ctx, r.network.Name, moves)
	if err != nil {
		return nil, err
	}
	out.more = out.more || len(r.open) >= w.openAtOnce() && slices.ContainsFunc(moves, func(m store.SignedMove) bool {
		return moved[m.Txid] && m.To != pay.TxSent // the next look would ask for those sent again
	})
	if err := w.bury(ctx, tx, r, out, moved); err != nil {
		return nil, err
	}
	var ofMoves []*pay.SignedTransaction
	for i := range r.open {
		switch t := &r.open[i]; {
		case !moved[t.Txid] || t.State != pay.TxFinal && t.State != pay.TxReverted:
		case t.OfMove():
			ofMoves = append(ofMoves, t)
		default:
			final, done = append(final, t), append(done, t.PayoutID)
		}
	}
	if resend, err = tx.Unmined(ctx, store.Unique(resend)); err != nil { // those in a block were not all looked at
		return nil, err
	}
	ring, err := w.endPayouts(ctx, tx, r, out, final, store.Unique(done))
	if err != nil {
		return nil, err
	}
	if err := w.endMoves(ctx, tx, r, out, ofMoves); err != nil {
		return nil, err
	}
	payouts, treasury := r.jobsOf(resend)
	if err := tx.PlanJobs(ctx, string(tasks.MoveTreasury), treasury, tasks.RingDelay); err != nil {
		return nil, err
	}
	// Jobs are locked after payouts. Only missing jobs are planned: a new time for an existing job would fence the attempt working on
	// it.
	return ring, tx.PlanJobs(ctx, string(tasks.BroadcastPayout), payouts, tasks.RingDelay)
}

// nextToSendByPayout returns, of each payout's open transactions, the one to be sent again should the network not know it; the others
// are only watched.
func nextToSendByPayout(ctx context.Context, tx *store.Store, open []pay.SignedTransaction) (map[uuid.UUID]string, error) {
	next := make(map[uuid.UUID]string, len(open))
	all := map[uuid.UUID][]pay.SignedTransaction{} // of payouts with several
	for i := range open {
		id := open[i].PayoutID
		if _, several := next[id]; several {
			all[id] = nil
		}
		next[id] = open[i].Txid
	}
	if len(all) == 0 {
		return next, nil
	}
	for i := range open {
		if _, several := all[open[i].PayoutID]; several {
			all[open[i].PayoutID] = append(all[open[i].PayoutID], open[i])
		}
	}
	payouts, err := tx.PayoutsOf(ctx, store.InOrder(all))
	if err != nil {
		return nil, err
	}
	for id := range all { // of a move, the newest
		if payouts[id] == nil {
			delete(next, id)
			if t := settlement.NewestOpen(all[id], func(*pay.SignedTransaction) bool { return true }); t != nil {
				next[id] = t.Txid
			}
		}
	}
	for id, p := range payouts {
		delete(next, id)
		if t := settlement.NextToSend(all[id], p); t != nil {
			next[id] = t.Txid
		}
	}
	return next, nil
}

// finals are the transactions made final by a step, with their payouts. Transactions whose payouts had ended before a reorganisation
// also have the txids sharing their nonces.
type finals struct {
	transactions []*pay.SignedTransaction
	payouts      map[uuid.UUID]*pay.Payout
	others       map[string][]string
	final        map[string]bool          // of those, where deaths are recorded, the final ones
	amiss        map[string]*chains.Amiss // the payments with another effect than asked for
}

// amissOf returns the final payments with another effect than asked for.
func amissOf(r *reading, final []*pay.SignedTransaction) map[string]*chains.Amiss {
	out := map[string]*chains.Amiss{}
	for _, t := range final {
		if wrong := r.status[t.Txid].Amiss; wrong != nil && paidOut(t) {
			out[t.Txid] = wrong
		}
	}
	return out
}

// endPayouts settles or fails the payouts of final transactions, and books the costs.
func (w *Worker) endPayouts(ctx context.Context, tx *store.Store, r *reading, out *writing, final []*pay.SignedTransaction,
	ids []uuid.UUID) ([]tasks.Job, error) {
	if len(final) == 0 {
		return nil, nil
	}
	f := finals{transactions: final, amiss: amissOf(r, final)}
	var err error
	if f.payouts, err = tx.PayoutsOf(ctx, ids); err != nil {
		return nil, err
	}
	if r.network.Exclusion != chains.ByExpiry { // there the others die by themselves, or are mined too
		if err := tx.MarkAllReplaced(ctx, r.network.Name, final); err != nil {
			return nil, err
		}
	}
	if err := freeCoins(ctx, tx, r.network, final); err != nil {
		return nil, err
	}
	if f.others, f.final, err = othersOf(ctx, tx, r.network, &f); err != nil {
		return nil, err
	}
	costs, err := costs(ctx, tx, r, &f)
	if err != nil {
		return nil, err
	}
	out.entries = append(out.entries, costs...)
	if err := w.endedBefore(ctx, tx, r.network, &f); err != nil {
		return nil, err
	}
	if err := w.keepAmiss(ctx, tx, r.network, &f); err != nil {
		return nil, err
	}
	completed, failed := f.byOutcome()
	moved, not, err := tx.MovePayouts(ctx, completed, pay.PayoutCompleted, settlement.HoldsOf(completed))
	completed = w.withoutUnheld(completed, not)
	if err == nil && moved != len(completed) {
		err = errMovedMeanwhile
	}
	if err != nil {
		return nil, err
	}
	if failed, err = w.withHold(ctx, tx, failed); err != nil {
		return nil, err
	}
	entries, deliveries, err := settlement.Refunds(ctx, tx, failed)
	if errors.Is(err, desk.ErrFenced) {
		err = errMovedMeanwhile
	}
	if err != nil {
		return nil, err
	}
	out.entries = append(out.entries, entries...)
	ended := make([]uuid.UUID, 0, len(completed))
	for _, p := range completed {
		p.Status = pay.PayoutCompleted
		ended = append(ended, p.ID)
		d, err := webhooks.PayoutDelivery(pay.PaymentProcessed, p)
		if err != nil {
			return nil, err
		}
		out.entries, deliveries = append(out.entries, ledger.PayoutSettled(p)), append(deliveries, d)
	}
	if err := tx.TellRefunded(ctx, ended...); err != nil {
		return nil, err
	}
	return notices.Record(ctx, tx, deliveries)
}

// endedBefore handles final transactions whose payouts had ended before a reorganisation. If another transaction pays a completed
// payout now, the payout gets its txid. If a transaction contradicts the end of its payout, an operator is shown it: the merchant was
// told of the end.
func (w *Worker) endedBefore(ctx context.Context, tx *store.Store, n *chains.Network, f *finals) error {
	var by []*pay.Payout
	var contrary []*pay.SignedTransaction
	for _, t := range f.transactions {
		p := f.payouts[t.PayoutID]
		switch {
		case !p.Status.Ended():
		case settlement.Contradicts(p, f.hasPaid(t, p)):
			contrary = append(contrary, t)
			w.LogFor(n).WithField("payout", p.ID).WithField("txid", t.Txid).
				Error("the network undid what had ended a payout, and decided otherwise: the payout is " + string(p.Status))
		case f.hasPaid(t, p) && f.final[*p.Txid] && *p.Txid != t.Txid:
			contrary = append(contrary, t)
			w.LogFor(n).WithField("payout", p.ID).WithField("txid", t.Txid).Error("a completed payout was paid a second time")
		case f.hasPaid(t, p) && slices.Contains(f.others[t.Txid], *p.Txid):
			p.Txid = &t.Txid
			by = append(by, p)
		}
	}
	if err := tx.PaidBy(ctx, by); err != nil {
		return err
	}
	return tx.AddContrary(ctx, contrary)
}

// paidOut reports whether a final transaction has paid its payout.
func paidOut(t *pay.SignedTransaction) bool {
	return t.Purpose != pay.PurposeCancel && t.State != pay.TxReverted
}

// byOutcome sorts the payouts of final transactions into the completed ones, with the txid of the payment, and the failed ones, with
// the reason. A payout that had ended before a reorganisation is in neither, and none is there twice: a paid payout is completed,
// whatever else of it is final. A payout with only an amiss payment is in neither.
func (f *finals) byOutcome() (completed, failed []*pay.Payout) {
	done := map[uuid.UUID]bool{}
	for _, moving := range []bool{true, false} {
		for _, t := range f.transactions {
			done[t.PayoutID] = done[t.PayoutID] || !moving && f.amiss[t.Txid] != nil
		}
		for _, t := range f.transactions {
			p, moves := f.payouts[t.PayoutID], paidOut(t)
			switch {
			case moves != moving || done[p.ID] || f.amiss[t.Txid] != nil:
				continue
			case moves && p.Status.May(pay.PayoutCompleted):
				p.Txid = &t.Txid
				completed = append(completed, p)
			case !moves && p.Status.May(pay.PayoutFailed):
				p.Reason, failed = new(failureReason(t, p)), append(failed, p)
			}
			done[p.ID] = true
		}
	}
	return completed, failed
}

// failureReason returns whose decision failed a payout with a final transaction that moved nothing: the operator's, when it only took
// the nonce as the operator had asked, else the network's.
func failureReason(t *pay.SignedTransaction, p *pay.Payout) string {
	if t.Purpose == pay.PurposeCancel && p.Cancelling {
		return settlement.Cancelled
	}
	return settlement.NotCarriedOut
}
