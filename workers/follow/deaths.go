package follow

import (
	"context"
	"slices"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/settlement"
)

// slotName names a slot.
type slotName struct {
	address string // the hot wallet
	number  int64
}

// readDeaths finds the slots ended for good by a final block without a transaction of theirs: their first coin was to be made by a
// transaction, and another one of its slot is final. The deaths of one step may prove others in the next.
func (w *Worker) readDeaths(ctx context.Context, r *reading) error {
	if r.network.Exclusion != chains.ByCoins {
		return nil
	}
	dead, err := w.Store.DeadSlots(ctx, r.network.Name)
	if err != nil {
		return err
	}
	r.deaths = map[slotName]int64{}
	for _, d := range dead {
		r.deaths[slotName{d.Address, d.Slot}] = d.Height
	}
	return nil
}

// deadByCoins reports whether the first coin of a transaction's slot cannot exist any more.
func (r *reading) deadByCoins(t *pay.SignedTransaction) bool {
	_, dead := r.deaths[slotName{t.Address, t.Nonce}]
	return dead
}

// provenAt returns the height of the block proving the death of a transaction.
func (r *reading) provenAt(t *pay.SignedTransaction) int64 {
	if height, dead := r.deaths[slotName{t.Address, t.Nonce}]; dead {
		return height
	}
	return r.head.Final
}

// bury ends the leases of the slots found dead in this step, where coins exclude. It takes back costs booked before a reorganisation. To
// sign again needs another slot. Each death may prove others: the next step is due at once.
func (w *Worker) bury(ctx context.Context, tx *store.Store, r *reading, out *writing, moved map[string]bool) error {
	var txids []string
	slots := map[slotName]bool{}
	for i := range r.open {
		t := &r.open[i]
		if t.State != pay.TxExpired || !moved[t.Txid] || !r.deadByCoins(t) {
			continue
		}
		txids = append(txids, t.Txid)
		name := slotName{t.Address, t.Nonce}
		if slots[name] {
			continue
		}
		slots[name], out.more = true, true
		w.LogFor(r.network).WithField("txid", t.Txid).Warn("a coin that our transaction spends can never exist: it is dead")
		if err := tx.FreeOtherCoins(ctx, r.network.Name, t.Address, t.Nonce); err != nil {
			return err
		}
	}
	if len(txids) == 0 {
		return nil
	}
	slices.Sort(txids)
	txids = slices.Compact(txids)
	booked, err := tx.GasBooked(ctx, settlement.GasOf(r.network, txids))
	if err != nil {
		return err
	}
	out.entries = append(out.entries, settlement.GivenBack(r.network, txids, booked)...)
	return nil
}
