package settlement

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
	"causeway/workers/desk"
)

// Pays reports whether an unknown spend equals a payout's order.
func Pays(n *chains.Network, u *store.UnknownSpend, p *pay.Payout) bool {
	return GoesTo(n, u, p) && u.Amount.Equal(p.Amount)
}

// GoesTo reports whether an unknown spend went to a payout's recipient. A payout by fiat, or with a converted fee, comes to another
// amount when asked for again, since prices have moved.
func GoesTo(n *chains.Network, u *store.UnknownSpend, p *pay.Payout) bool {
	memo := ""
	if p.Memo != nil {
		memo = n.MemoOnChain(*p.Memo)
	}
	return u.Network == p.Network && u.Token == p.Token &&
		n.Addresser.Match(p.Wallet) == u.Recipient && (!n.Memo || u.Memo == memo)
}

// PlaceInChain names a spend in the books: its network, transaction, token and position.
func PlaceInChain(u *store.UnknownSpend) string {
	return fmt.Sprintf("%s:%s:%s:%d", u.Network, u.Txid, u.Token, u.Position)
}

// CompleteBy completes an open payout by a transaction unknown to our books; its job and its signed transactions end here.
func CompleteBy(ctx context.Context, tx *store.Store, u *store.UnknownSpend) (*pay.Payout, pay.Delivery, error) {
	p, err := tx.PayoutForUpdate(ctx, *u.PayoutID)
	if err != nil {
		return nil, pay.Delivery{}, err
	}
	if err := Held(ctx, tx, p); err != nil {
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
	if err := tx.TellRefunded(ctx, p.ID); err != nil {
		return nil, pay.Delivery{}, err
	}
	d, err := webhooks.PayoutDelivery(pay.PaymentProcessed, p)
	return p, d, err
}
