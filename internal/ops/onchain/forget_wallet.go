package onchain

import (
	"context"
	"fmt"

	"causeway/internal/store"
	"causeway/tasks"
)

// ForgetWallet takes the stop of a former hot wallet off the overview, when the network has a new seed and nobody can explain the
// stop. Nothing is signed with it all the same. A signer still holding its seed puts it on the overview again. ForgetWallet returns
// the undecided spends of the network's hot wallets: AssignSpend still decides on them.
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
