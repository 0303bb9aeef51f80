package workers

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
	"causeway/workers/desk"
)

// unknownSpends picks what left the hot wallet in new blocks by transactions that we have not signed, or signed before our
// books were restored from an older copy. Our own are in the books before they are sent.
func (w *Workers) unknownSpends(ctx context.Context, s *step) ([]store.UnknownSpend, error) {
	n := s.network
	var all []store.UnknownSpend
	var txids []string
	for _, b := range s.blocks {
		for _, t := range b.Transfers {
			if t.To == n.Hot || n.Addresser.Match(t.From) != n.Hot {
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

// pays reports whether an unknown spend is what a payout asks for.
func pays(n *chains.Network, u *store.UnknownSpend, p *pay.Payout) bool {
	return goesTo(n, u, p) && u.Amount.Equal(p.Amount)
}

// goesTo reports whether an unknown spend went to where a payout is to go. A payout by fiat, or with a converted fee, that is
// asked for again comes to another amount, since prices have moved.
func goesTo(n *chains.Network, u *store.UnknownSpend, p *pay.Payout) bool {
	memo := ""
	if p.Memo != nil {
		memo = n.MemoOnChain(*p.Memo)
	}
	return u.Network == p.Network && u.Token == p.Token &&
		n.Addresser.Match(p.Wallet) == u.Recipient && (!n.Memo || u.Memo == memo)
}

func placeInChain(u *store.UnknownSpend) string {
	return fmt.Sprintf("%s:%s:%s:%d", u.Network, u.Txid, u.Token, u.Position)
}

// completeBy completes an open payout by a transaction that our books did not know; its job and what was signed for it
// end here.
func completeBy(ctx context.Context, tx *store.Store, u *store.UnknownSpend) (*pay.Payout, pay.Delivery, error) {
	p, err := tx.PayoutForUpdate(ctx, *u.PayoutID)
	if err != nil {
		return nil, pay.Delivery{}, err
	}
	if err := held(ctx, tx, p); err != nil {
		return nil, pay.Delivery{}, err
	}
	p.Txid = &u.Txid
	if p.Status == pay.PayoutQueued {
		if err := desk.Fenced(tx.MovePayout(ctx, p, pay.PayoutSigned)); err != nil {
			return nil, pay.Delivery{}, err
		}
	}
	if err := desk.Fenced(tx.MovePayout(ctx, p, pay.PayoutCompleted)); err != nil {
		return nil, pay.Delivery{}, err
	}
	if _, err := tx.ReplaceSignedOf(ctx, p.ID, u.Txid, u.Height); err != nil {
		return nil, pay.Delivery{}, err
	}
	d, err := webhooks.PayoutDelivery(pay.PaymentProcessed, p)
	return p, d, err
}
