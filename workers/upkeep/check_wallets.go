package upkeep

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/internal/batch/gather"
	"causeway/workers/guard"
)

const (
	// walletPatience is how long one network may take to tell its nonce, and walletsAtOnce how many are asked at a time.
	walletPatience = 10 * time.Second
	walletsAtOnce  = 8
)

// checkWallets compares the nonce of every hot wallet with ours, and the open payouts with their seals, whether anything is to be
// signed or not.
func (w *Worker) checkWallets(ctx context.Context) error {
	if err := w.Guard.CheckSeals(ctx); err != nil {
		return err
	}
	var g errgroup.Group
	g.SetLimit(walletsAtOnce)
	for _, n := range w.Networks.All() {
		if n.Sender == nil {
			continue
		}
		g.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, walletPatience)
			defer cancel()
			err := gather.Recover(func() error { return w.Guard.CheckWallet(ctx, n) })
			if errors.Is(err, chains.ErrDown) || errors.Is(err, guard.ErrWalletStopped) || errors.Is(err, guard.ErrUnsure) {
				w.LogFor(n).WithError(err).Warn("the hot wallet is not in order")
				return nil
			}
			return err
		})
	}
	return g.Wait()
}
