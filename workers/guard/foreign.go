package guard

import (
	"context"
	"errors"
	"fmt"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// ErrUnsure says that the books are in another run than before: the server was started again, is another, or they were put back. They may
// be older than the last signature. Time has to pass before everything signed is known or dead (docs/decisions/0037-slots.md).
var ErrUnsure = errors.New("the database was started anew or put back, and what was signed before may still be carried out")

// checkForeign stops a hot wallet if the follower has seen a transaction of it unknown to the books. It opens the wallet's slots.
func (g *Guard) checkForeign(ctx context.Context, n *chains.Network) error {
	ours, err := g.Store.NextNonce(ctx, n.Name, n.Hot)
	if errors.Is(err, pay.ErrNotFound) {
		err = g.Store.OpenNonces(ctx, n.Name, n.Hot, 0)
	}
	if err != nil {
		return err
	}
	foreign, err := g.Store.Foreign(ctx, n.Name, n.Hot)
	if err != nil {
		return err
	}
	if len(foreign) > 0 {
		return errors.Join(fmt.Errorf("transaction %s of the wallet is unknown to the books", foreign[0].Txid), g.StopWallet(ctx, n, ours, ours))
	}
	if err := g.sure(ctx, n); err != nil {
		return err
	}
	if err := g.Store.RecallStop(ctx, n.Name, n.Hot); err != nil {
		return err
	}
	g.watched.seen(n.Name)
	return nil
}

// sure fails with ErrUnsure while an earlier state of the books may have signed what is in no followed block yet. Where time alone
// excludes, the longest validity has to pass. Where coins do, the present blocks have to be final, and the node's mempool is looked
// through.
func (g *Guard) sure(ctx context.Context, n *chains.Network) error {
	kind := store.SignsByExpiry
	if n.Exclusion == chains.ByCoins {
		kind = store.SignsByCoins
	}
	may, err := g.Store.SignedBefore(ctx, n.Name, kind, func(height, clock int64) (int64, error) {
		head, err := n.Scanner.Head(ctx, -1)
		if err != nil {
			return 0, fmt.Errorf("head of %s: %w", n.Name, err)
		}
		if head.Height < height {
			return 0, fmt.Errorf("%w: the node of %s that answered is at block %d, and was at %d", chains.ErrDown, n.Name, head.Height, height)
		}
		if kind == store.SignsByExpiry {
			return max(head.Clock, clock) + n.Expiry, nil
		}
		return head.Height, g.lookThrough(ctx, n)
	})
	switch {
	case errors.Is(err, pay.ErrNotFound): // not followed yet: nothing is signed there
		return nil
	case err == nil && !may:
		return fmt.Errorf("payouts on %s wait some minutes: %w", n.Name, ErrUnsure)
	default:
		return err
	}
}

// lookThrough looks through a mempool for transactions of the hot wallet unknown to the books. They stop the wallet.
func (g *Guard) lookThrough(ctx context.Context, n *chains.Network) error {
	if n.Mempool == nil {
		return nil
	}
	pending, err := n.Mempool.Pending(ctx)
	if err != nil {
		return fmt.Errorf("mempool of %s: %w", n.Name, err)
	}
	var txids []string
	for _, t := range pending {
		if n.Addresser.Match(t.From) == n.Hot {
			txids = append(txids, t.Txid)
		}
	}
	ours, err := g.Store.SignedAmong(ctx, n.Name, txids)
	if err != nil {
		return err
	}
	for _, txid := range txids {
		if ours[txid] {
			continue
		}
		if err := g.Store.AddForeign(ctx, n.Name, n.Hot, store.ForeignSpend{Txid: txid}); err != nil {
			return err
		}
	}
	return nil
}
