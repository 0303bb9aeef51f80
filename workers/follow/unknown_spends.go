package follow

import (
	"context"

	"causeway/internal/store"
)

// unknownSpends picks movements out of the hot wallet, and out of cold addresses, in new blocks by transactions not signed by us, or signed
// before our books were restored from an older copy. Our own are in the books before they are sent. A move to another address of ours is
// no loss.
func (w *Worker) unknownSpends(ctx context.Context, r *reading) ([]store.UnknownSpend, error) {
	n := r.network
	var all []store.UnknownSpend
	var txids []string
	for _, b := range r.blocks {
		for _, t := range b.Transfers {
			from := n.Addresser.Match(t.From)
			if t.Beside || t.To == from || !r.isOwn(from) || r.isInside(&t) {
				continue
			}
			u := store.UnknownSpend{Network: n.Name, Txid: t.Txid, Token: t.Token, Position: t.Position, Sender: from,
				Recipient: t.To, Memo: t.Memo, Amount: t.Amount, Height: b.Height}
			if from == n.Hot {
				u.Sender = ""
			}
			txids, all = append(txids, r.original(t.Txid)), append(all, u)
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
		switch {
		case ours[r.original(u.Txid)]:
			continue
		case u.Sender == "":
			w.LogFor(n).WithField("txid", u.Txid).Error("the hot wallet was spent from by a transaction that our books do not know")
		default:
			w.LogFor(n).WithField("txid", u.Txid).WithField("address", u.Sender).Error("a cold address was spent from: wallet assign books it")
		}
		unknown = append(unknown, u)
	}
	return unknown, nil
}
