package follow

import (
	"context"
	"fmt"

	"causeway/internal/store"
)

// readCopies finds copies of our transactions in the step's blocks. Where an id does not cover the signatures, anybody may have one of
// ours mined under another id. It spends the first coin of its slot, as ours does.
func (w *Worker) readCopies(ctx context.Context, r *reading) error {
	r.copies = map[string]store.Copy{}
	if r.network.Copy == nil {
		return nil
	}
	var spent []store.SpentCoin
	for i := range r.blocks {
		for _, s := range r.blocks[i].Spent {
			spent = append(spent, store.SpentCoin{ID: s.Coin, Txid: s.Txid, Height: r.blocks[i].Height})
		}
	}
	taken, err := w.Store.TakenSlots(ctx, r.network.Name, spent)
	if err != nil {
		return err
	}
	for _, t := range taken {
		of, raw, err := r.network.Copy(ctx, t.Txid, t.Raws)
		if err != nil {
			return fmt.Errorf("transaction %s of %s: %w", t.Txid, r.network.Name, err)
		}
		if of >= 0 {
			r.copies[t.Txid] = store.Copy{Txid: t.Txid, Of: t.Ours[of], Raw: raw, Height: t.Height, Block: blockID(r.hashAt(t.Height))}
		}
	}
	return nil
}

// original returns the transaction of ours that one of the step's blocks is a copy of, or the transaction itself.
func (r *reading) original(txid string) string {
	if c, is := r.copies[txid]; is {
		return c.Of
	}
	return txid
}

// adoptCopies makes copies transactions of ours. Whatever holds for ours holds for them from now on: they are final or undone, and one
// transaction of the slot alone is final.
func (w *Worker) adoptCopies(ctx context.Context, tx *store.Store, r *reading) error {
	var all []store.Copy
	for _, c := range r.copies {
		if c.Height > r.followed() { // left to the next step
			continue
		}
		w.LogFor(r.network).WithField("txid", c.Txid).WithField("of", c.Of).Warn("a copy of our transaction was mined under another id: it takes its place")
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil
	}
	return tx.AdoptCopies(ctx, r.network.Name, all)
}
