package workers

import (
	"context"
	"errors"
	"fmt"

	"causeway/pay"
	"causeway/store"
	"causeway/tasks"
)

// ForgetWallet ends the stop of a wallet that is not the hot wallet of its network any more, since there is a new seed: nothing is signed
// with it, and nobody can explain it. What had left it, and nobody has decided on, AssignSpend still decides on. With its seed back, it
// is looked at as every hot wallet, and stopped again. It returns the stop as it was.
func (w *Workers) ForgetWallet(ctx context.Context, actor, network, address string) (stop *store.StoppedWallet, err error) {
	n, err := w.networkNamed(network)
	if err != nil {
		return nil, err
	}
	address = n.Addresser.Match(address)
	if address == n.Hot {
		return nil, fmt.Errorf("%s is the hot wallet of %s: wallet resume ends its stop", n.HotAddress(), n.Name)
	}
	err = w.record(ctx, func(tx *store.Store) ([]tasks.Job, error) {
		if stop, err = tx.WalletOfStop(ctx, n.Name, address); err != nil {
			if errors.Is(err, pay.ErrNotFound) {
				err = fmt.Errorf("wallet %s of %s is not stopped", address, n.Name)
			}
			return nil, err
		}
		if err := tx.ForgetStop(ctx, stop); err != nil {
			return nil, err
		}
		return nil, tx.AddAudit(ctx, actor, "wallet.forget", "wallet:"+n.Name, stop, nil)
	})
	return stop, err
}
