// Package guard stops a hot wallet from signing: its chain has used nonces unknown to our books, or a payout is not as it was sealed.
package guard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/workers/desk"
)

const (
	// walletTrust is how long a process signs without looking at a wallet's nonce again.
	walletTrust = time.Minute
	// addressesSkipped is how many given-out addresses the books of a stopped wallet may not know.
	addressesSkipped = 100_000
)

// ErrWalletStopped says that the chain knows more of a hot wallet than our books: they are older than the chain, or somebody else has
// the key. Nothing is signed until an operator resumes it (docs/decisions/0011-restored-books.md).
var ErrWalletStopped = errors.New("the hot wallet is stopped: its chain has used nonces that our books do not know, or a payout there was changed; see causeway reconcile")

// Guard keeps watch over the hot wallets of a process.
type Guard struct {
	*desk.Desk
	Seals *vault.Sealer // checks payouts to be signed; nil in a process without SEAL_KEY

	watched watched
}

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

// Watch is CheckWallet, unless this process has compared the nonces within walletTrust.
func (g *Guard) Watch(ctx context.Context, n *chains.Network) error {
	if g.watched.fresh(n.Name) {
		return nil
	}
	return g.CheckWallet(ctx, n)
}

// CheckWallet compares the chain's nonce with ours, and stops the wallet when the chain is ahead. The chain is asked first:
// everything we send was in our books before. The first time, our nonces start where its blocks have come to; where payouts are
// waiting already and the chain knows transactions, this is an operator's decision. If the wallet's stop was forgotten, operators are
// told of the stop again.
//
// Where the chain counts nothing, the follower has seen what the wallet sent, and the books say it (checkForeign).
func (g *Guard) CheckWallet(ctx context.Context, n *chains.Network) error {
	if n.Counter == nil {
		return g.checkForeign(ctx, n)
	}
	next, err := n.Counter.NextNonce(ctx, n.Hot)
	if err != nil {
		return fmt.Errorf("nonce of the hot wallet on %s: %w", n.Name, err)
	}
	chain := int64(next) //nolint:gosec // a nonce is far below 2^63
	ours, err := g.Store.NextNonce(ctx, n.Name, n.Hot)
	if errors.Is(err, pay.ErrNotFound) {
		ours, err = g.openNonces(ctx, n, chain)
	}
	if err != nil {
		return err
	}
	if chain > ours {
		return g.StopWallet(ctx, n, ours, chain)
	}
	if err := g.Store.RecallStop(ctx, n.Name, n.Hot); err != nil {
		return err
	}
	g.watched.seen(n.Name)
	return nil
}

// openNonces starts the nonces of a hot wallet after those used in the blocks of its chain, and returns the next one; 0 when it may
// not. A transaction sent with it by somebody else, and in no block yet, stops it: it may be dropped, leaving its nonce unused.
func (g *Guard) openNonces(ctx context.Context, n *chains.Network, chain int64) (int64, error) {
	if chain == 0 {
		return 0, g.Store.OpenNonces(ctx, n.Name, n.Hot, 0)
	}
	waiting, err := g.Store.HasOpenPayouts(ctx, n.Name)
	if err != nil || waiting {
		return 0, err
	}
	head, err := n.Scanner.Head(ctx, -1)
	if err != nil {
		return 0, fmt.Errorf("head of %s: %w", n.Name, err)
	}
	nonce, err := n.Counter.NonceAt(ctx, n.Hot, head.Height)
	if err != nil {
		return 0, fmt.Errorf("nonce of the hot wallet on %s: %w", n.Name, err)
	}
	used := int64(nonce) //nolint:gosec // a nonce is far below 2^63
	return used, g.Store.OpenNonces(ctx, n.Name, n.Hot, used)
}

// StopWallet keeps a wallet from signing, and returns ErrWalletStopped with both nonces. Books older than the chain have given out
// addresses unknown to them, too: customers may still pay to one, so nobody else may get it. Addresses are left out once for a stop: they
// are not endless, and the chain of a stopped wallet may rise for long. Restored books may have a stop in them already. For it they are
// left out once more, since another run of the server has the books (store.NoteSkip).
func (g *Guard) StopWallet(ctx context.Context, n *chains.Network, ours, chain int64) error {
	stop := store.StoppedWallet{Network: n.Name, Address: n.Hot, Ours: ours, Chain: chain}
	err := g.Store.InTx(ctx, func(tx *store.Store) error {
		if _, err := tx.StopWallet(ctx, stop); err != nil {
			return err
		}
		if first, err := tx.NoteSkip(ctx, n.Name, n.Hot); err != nil || !first {
			return err
		}
		if err := tx.SkipAddressIndexes(ctx, addressesSkipped); err != nil {
			return err
		}
		return tx.AddAudit(ctx, "signer", "wallet.stop", "wallet:"+n.Name, nil, stop)
	})
	return errors.Join(fmt.Errorf("%w: the chain's next nonce is %d, ours %d", ErrWalletStopped, chain, ours), err)
}
