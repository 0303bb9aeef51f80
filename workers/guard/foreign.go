package guard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

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

// errBehind says that a mempool may spend coins of blocks that are not followed yet.
var errBehind = errors.New("the newest blocks are not followed yet")

// sure fails with ErrUnsure while an earlier state of the books may have signed what is in no followed block yet. Where time alone
// excludes, the longest validity has to pass. Where coins do, the present blocks have to be final, and the node's mempool is looked
// through.
func (g *Guard) sure(ctx context.Context, n *chains.Network) error {
	kind := store.SignsByExpiry
	if n.Exclusion == chains.ByCoins {
		kind = store.SignsByCoins
	}
	may, err := g.Store.SignedBefore(ctx, n.Name, kind, func(height, clock int64) (int64, error) {
		var pool chains.Unmined
		if kind == store.SignsByCoins && n.Mempool != nil {
			var err error
			if pool, err = n.Mempool.Pending(ctx); err != nil {
				return 0, fmt.Errorf("mempool of %s: %w", n.Name, err)
			}
		}
		head, err := n.Scanner.Head(ctx, -1) // after the mempool: the coins that it spends are in these blocks, or made by itself
		if err != nil {
			return 0, fmt.Errorf("head of %s: %w", n.Name, err)
		}
		if head.Height < height {
			return 0, fmt.Errorf("%w: the node of %s that answered is at block %d, and was at %d", chains.ErrDown, n.Name, head.Height, height)
		}
		if kind == store.SignsByExpiry {
			return max(head.Clock, clock) + n.Expiry, nil
		}
		return head.Height, g.lookThrough(ctx, n, pool, head.Height)
	})
	switch {
	case errors.Is(err, pay.ErrNotFound): // not followed yet: nothing is signed there
		return nil
	case errors.Is(err, errBehind):
		return fmt.Errorf("payouts on %s wait: %w: %w", n.Name, err, ErrUnsure)
	case err == nil && !may:
		return fmt.Errorf("payouts on %s wait some minutes: %w", n.Name, ErrUnsure)
	default:
		return err
	}
}

// lookThrough looks through a mempool for transactions unknown to the books that spend coins of ours. They stop the wallet. The books must
// have followed the chain to its height: a coin that they do not know yet is nobody's for them.
func (g *Guard) lookThrough(ctx context.Context, n *chains.Network, pool chains.Unmined, height int64) error {
	followed, err := g.Store.FollowedTo(ctx, n.Name)
	if err != nil {
		return err
	}
	if followed < height {
		return errBehind
	}
	foreign, err := g.foreign(ctx, n, pool)
	if err != nil {
		return err
	}
	for _, txid := range foreign {
		if err := g.Store.AddForeign(ctx, n.Name, n.Hot, store.ForeignSpend{Txid: txid}); err != nil {
			return err
		}
	}
	return nil
}

// foreign returns the transactions of a mempool that spend coins of ours and are unknown to the books, but for those that an operator's
// tool has signed to collect deposits: these only bring free coins of deposit addresses to addresses of ours.
func (g *Guard) foreign(ctx context.Context, n *chains.Network, pool chains.Unmined) ([]string, error) {
	own, ours, err := g.ownIn(ctx, n, pool)
	if err != nil {
		return nil, err
	}
	stops := map[string]bool{}
	for _, s := range pool.Spent {
		if c, is := own[s.Coin]; is {
			stops[s.Txid] = stops[s.Txid] || c.Deposit == "" || c.Leased
		}
	}
	for _, t := range pool.Transfers {
		if _, spends := stops[t.Txid]; spends && !ours[t.To] {
			stops[t.Txid] = true
		}
	}
	txids := slices.Sorted(maps.Keys(stops))
	signed, err := g.Store.SignedAmong(ctx, n.Name, txids)
	return slices.DeleteFunc(txids, func(txid string) bool { return signed[txid] || !stops[txid] }), err
}

// ownIn returns the coins of ours that a mempool spends, those that it makes itself too, and the addresses of ours that it pays.
func (g *Guard) ownIn(ctx context.Context, n *chains.Network, pool chains.Unmined) (own map[string]store.OwnCoin, ours map[string]bool, err error) {
	ids := make([]string, len(pool.Spent))
	for i, s := range pool.Spent {
		ids[i] = s.Coin
	}
	if own, err = g.Store.OwnCoins(ctx, n.Name, ids); err != nil || len(pool.Transfers) == 0 {
		return own, nil, err
	}
	places := make([]store.Place, len(pool.Transfers))
	for i, t := range pool.Transfers {
		places[i] = store.Place{Match: t.To}
	}
	known, err := g.Store.AddressesAt(ctx, n.Family, places)
	if err != nil {
		return nil, nil, err
	}
	ours = map[string]bool{n.Hot: true, n.Cold: n.Cold != ""}
	for i, t := range pool.Transfers {
		deposit := known[places[i]] != nil
		if deposit || t.To == n.Hot {
			ours[t.To] = true
			c := store.OwnCoin{Address: n.Hot}
			if deposit {
				c.Deposit = t.To
			}
			own[chains.CoinID(t.Txid, t.Position)] = c
		}
	}
	return own, ours, nil
}
