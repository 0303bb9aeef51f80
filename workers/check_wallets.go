package workers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/internal/batch/gather"
	"causeway/internal/pay"
	"causeway/internal/store"
)

const (
	// walletTrust is how long a process signs on what it saw of a wallet's nonce.
	walletTrust = time.Minute
	// walletPatience is how long one network may take to tell its nonce, and walletsAtOnce how many are asked at a time.
	walletPatience = 10 * time.Second
	walletsAtOnce  = 8
	// addressesSkipped is how many addresses may have been given out that the books of a stopped wallet do not know.
	addressesSkipped = 100_000
)

// errWalletStopped says that the chain knows more of a hot wallet than our books: they are older than the chain, or
// somebody else has the key. Nothing is signed until an operator resumes it (docs/decisions/0011-restored-books.md).
var errWalletStopped = errors.New("the hot wallet is stopped: its chain has used nonces that our books do not know, or a payout there was changed; see causeway reconcile")

// watched remembers when this process last looked at the nonce of each network.
type watched struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (c *watched) fresh(network string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.at[network]) < walletTrust
}

func (c *watched) seen(network string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil {
		c.at = map[string]time.Time{}
	}
	c.at[network] = time.Now()
}

// checkWallets compares the nonce of every hot wallet with ours, and the open payouts with their seals, whether anything is to be
// signed or not.
func (w *Workers) checkWallets(ctx context.Context) error {
	if err := w.checkSeals(ctx); err != nil {
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
			err := gather.Recover(func() error { return w.checkWallet(ctx, n) })
			if errors.Is(err, chains.ErrDown) || errors.Is(err, errWalletStopped) {
				w.LogFor(n).WithError(err).Warn("the nonce of the hot wallet is not in order")
				return nil
			}
			return err
		})
	}
	return g.Wait()
}

// checkWallet compares the chain's nonce with ours, and stops the wallet when the chain is ahead. The chain is asked
// first: whatever we send was in our books before. The first time, our nonces start at what its blocks have used; where payouts
// are waiting already and the chain knows transactions, that is an operator's decision. What signs with a wallet whose stop was forgotten
// has operators told of that again.
func (w *Workers) checkWallet(ctx context.Context, n *chains.Network) error {
	next, err := n.Watcher.NextNonce(ctx)
	if err != nil {
		return fmt.Errorf("nonce of the hot wallet on %s: %w", n.Name, err)
	}
	chain := int64(next) //nolint:gosec // a nonce is far below 2^63
	ours, err := w.Store.NextNonce(ctx, n.Name, n.Hot)
	if errors.Is(err, pay.ErrNotFound) {
		ours, err = w.openNonces(ctx, n, chain)
	}
	if err != nil {
		return err
	}
	if chain > ours {
		return w.stopWallet(ctx, n, ours, chain)
	}
	if err := w.Store.RecallStop(ctx, n.Name, n.Hot); err != nil {
		return err
	}
	w.watched.seen(n.Name)
	return nil
}

// openNonces starts the nonces of a hot wallet at what the blocks of its chain have used, and returns the next one; 0 when it may not.
// What somebody else has sent with it, and no block has yet, stops it: it may be dropped, and its nonce is never used then.
func (w *Workers) openNonces(ctx context.Context, n *chains.Network, chain int64) (int64, error) {
	if chain == 0 {
		return 0, w.Store.OpenNonces(ctx, n.Name, n.Hot, 0)
	}
	waiting, err := w.Store.HasOpenPayouts(ctx, n.Name)
	if err != nil || waiting {
		return 0, err
	}
	head, err := n.Scanner.Head(ctx, -1)
	if err != nil {
		return 0, fmt.Errorf("head of %s: %w", n.Name, err)
	}
	nonce, err := n.Watcher.NonceAt(ctx, head.Height)
	if err != nil {
		return 0, fmt.Errorf("nonce of the hot wallet on %s: %w", n.Name, err)
	}
	used := int64(nonce) //nolint:gosec // a nonce is far below 2^63
	return used, w.Store.OpenNonces(ctx, n.Name, n.Hot, used)
}

// stopWallet keeps a wallet from signing, and returns errWalletStopped with both nonces. Books that are older than the chain
// have given out addresses, too, that they do not know: who was told one may still pay to it, so that nobody else may get it.
func (w *Workers) stopWallet(ctx context.Context, n *chains.Network, ours, chain int64) error {
	stop := store.StoppedWallet{Network: n.Name, Address: n.Hot, Ours: ours, Chain: chain}
	err := w.Store.InTx(ctx, func(tx *store.Store) error {
		fresh, err := tx.StopWallet(ctx, stop)
		if err != nil || !fresh {
			return err
		}
		if err := tx.SkipAddressIndexes(ctx, addressesSkipped); err != nil {
			return err
		}
		return tx.AddAudit(ctx, "signer", "wallet.stop", "wallet:"+n.Name, nil, stop)
	})
	return errors.Join(fmt.Errorf("%w: the chain's next nonce is %d, ours %d", errWalletStopped, chain, ours), err)
}
