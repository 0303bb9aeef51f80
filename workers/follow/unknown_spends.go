package follow

import (
	"context"

	"causeway/internal/store"
)

// unknownSpends picks movements out of the hot wallet in new blocks by transactions not signed by us, or signed before our books were
// restored from an older copy. Our own are in the books before they are sent. A move to another address of ours is no loss.
func (w *Worker) unknownSpends(ctx context.Context, r *reading) ([]store.UnknownSpend, error) {
	n := r.network
	var all []store.UnknownSpend
	var txids []string
	for _, b := range r.blocks {
		for _, t := range b.Transfers {
			if t.To == n.Hot || n.Addresser.Match(t.From) != n.Hot || r.isInside(&t) {
				continue
			}
			txids = append(txids, t.Txid)
			all = append(all, store.UnknownSpend{Network: n.Name, Txid: t.Txid, Token: t.Token, Position: t.Position,
				Recipient: t.To, Memo: t.Memo, Amount: t.Amount, Height: b.Height})
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	ours, err := w.Store.SignedAmong(ctx, n.Name, txids)
	if err != nil {
		return nil, err
	}
	unknown := all[:0]
	for _, u := range all {
		if !ours[u.Txid] {
			unknown = append(unknown, u)
			w.LogFor(n).WithField("txid", u.Txid).Error("the hot wallet was spent from by a transaction that our books do not know")
		}
	}
	return unknown, nil
}
