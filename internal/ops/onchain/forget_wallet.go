package onchain

import (
	"context"
	"fmt"

	"causeway/internal/store"
	"causeway/tasks"
)

// ForgetWallet takes the stop of a wallet off the overview that is not the hot wallet of its network any more, since there is a new seed
// and nobody can explain it. Nothing is signed with it all the same; a signer that still has its seed puts it on the overview again. It
// returns what has left hot wallets of the network and nobody has decided on: AssignSpend still does.
func (o *Operator) ForgetWallet(ctx context.Context, network, address string) ([]store.UnknownSpend, error) {
	if n, ok := o.Networks.Network(network); ok {
		if address = n.Addresser.Match(address); address == n.Hot {
			return nil, fmt.Errorf("%s is the hot wallet of %s: wallet resume ends its stop", n.HotAddress(), n.Name)
		}
	}
	var open []store.UnknownSpend
	err := o.change(ctx, "wallet.forget", "wallet:"+network, func(tx *store.Store) (before, after any, ring []tasks.Job, err error) {
		forgotten, err := tx.ForgetStop(ctx, network, address)
		if err == nil && !forgotten {
			err = fmt.Errorf("wallet %s of %s is not stopped, or forgotten already", address, network)
		}
		if err != nil {
			return nil, nil, nil, err
		}
		open, err = tx.OpenSpends(ctx, network)
		return map[string]string{"address": address}, nil, nil, err
	})
	return open, err
}
