package admin

import (
	"context"

	"causeway/internal/store"
)

// DismissPayout takes a payout off the overview: its network decided against it after it had ended, and a person has dealt with it.
// The payout stays as it is.
func (a *Admin) DismissPayout(ctx context.Context, word string) (*Payout, error) {
	p, err := a.payoutCalled(ctx, word)
	if err != nil {
		return nil, err
	}
	err = a.Change(ctx, "payout.dismiss", "payout:"+p.ID.String(), func(tx *store.Store) (before, after any, err error) {
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
