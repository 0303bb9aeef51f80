package admin

import (
	"context"

	"causeway/store"
)

// DismissPayout takes a payout off the overview against which its network has decided after it had ended: a person has dealt with it.
// The payout stays as it is.
func (a *Admin) DismissPayout(ctx context.Context, word string) (*Payout, error) {
	p, err := a.payoutCalled(ctx, word)
	if err != nil {
		return nil, err
	}
	err = a.change(ctx, "payout.dismiss", "payout:"+p.ID.String(), func(tx *store.Store) (before, after any, err error) {
		txids, err := tx.DismissContrary(ctx, p.ID)
		if err == nil && len(txids) == 0 {
			err = refuse("nothing is final against how payout %s has ended: it is %s", p.ID, p.Status)
		}
		return map[string][]string{"contrary": txids}, map[string][]string{"contrary": {}}, err
	})
	if err != nil {
		return nil, err
	}
	return a.Payout(ctx, p.ID.String())
}

// DismissSpend takes a transaction off the overview that a reorganisation has undone: a person has dealt with it. What was booked of it
// stays, and what nobody has decided on is forgotten. Payouts to its recipient no longer wait for it. It returns what had left the hot
// wallet by it, as it was before.
func (a *Admin) DismissSpend(ctx context.Context, network, txid string) (spends []store.UnknownSpend, err error) {
	err = a.change(ctx, "wallet.dismiss", "wallet:"+network, func(tx *store.Store) (before, after any, err error) {
		spends, err = tx.SpendsOf(ctx, network, txid)
		if err != nil {
			return nil, nil, err
		}
		dismissed, err := tx.DismissSpends(ctx, network, txid)
		if err == nil && !dismissed {
			err = refuse("no spend of %s on %s is undone", txid, network)
		}
		if err != nil {
			return nil, nil, err
		}
		left, err := tx.SpendsOf(ctx, network, txid)
		return spends, left, err
	})
	return spends, err
}
