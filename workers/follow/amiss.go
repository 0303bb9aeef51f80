package follow

import (
	"context"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// keepAmiss keeps final payments of open payouts that did not move what they asked for, as a token with a fee on transfers does, or one
// that answers false in place of reverting. Such a payout is neither completed nor failed: a person decides (DecidePayout).
func (w *Worker) keepAmiss(ctx context.Context, tx *store.Store, n *chains.Network, f *finals) error {
	for _, t := range f.transactions {
		wrong, p := f.amiss[t.Txid], f.payouts[t.PayoutID]
		if wrong == nil || p.Status.Ended() {
			continue
		}
		w.LogFor(n).WithField("payout", p.ID).WithField("txid", t.Txid).WithField("arrived", wrong.Arrived.String()).
			WithField("asked", p.Amount.String()).Error("a final payment did not move what its payout asks for: a person decides")
		err := tx.AddAmiss(ctx, store.AmissPayment{Network: t.Network, Txid: t.Txid, PayoutID: p.ID, Arrived: wrong.Arrived, Spent: wrong.Spent})
		if err != nil {
			return err
		}
	}
	return nil
}

// hasPaid reports whether a final transaction has paid a payout that had ended. One that has moved another amount has not paid a
// completed payout; a refunded one must have cost the hot wallet nothing.
func (f *finals) hasPaid(t *pay.SignedTransaction, p *pay.Payout) bool {
	wrong := f.amiss[t.Txid]
	return paidOut(t) && (wrong == nil || p.Status != pay.PayoutCompleted && !wrong.Spent.IsZero())
}
