package follow

import (
	"context"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// keepAmiss keeps final payments of open payouts with another effect than asked for: a token may take a fee on transfers, or answer
// false instead of reverting. Such a payout is neither completed nor failed: a person decides (onchain.DecidePayout).
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

// hasPaid reports whether a final transaction has paid an ended payout. A payment of another amount has not paid a completed payout;
// for a refunded payout to count as unpaid, it must have cost the hot wallet nothing.
func (f *finals) hasPaid(t *pay.SignedTransaction, p *pay.Payout) bool {
	wrong := f.amiss[t.Txid]
	return paidOut(t) && (wrong == nil || p.Status != pay.PayoutCompleted && !wrong.Spent.IsZero())
}
