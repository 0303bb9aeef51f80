package reconcile

import (
	"context"
	"errors"
	"fmt"

	"causeway/chains"
	"causeway/internal/store"
)

// coinsAtOnce is how many open payins of a network, the newest first, a look asks about for coin seen by no follower. The next look
// goes on with older ones.
const coinsAtOnce = 500

// lookForCoin asks about the native coin at the addresses of open payins, where the connector does not see all of it: coin from a
// multi-signature wallet or an exchange's batch shows in no log, nor in the value of a transaction. It asks for the block up to which
// transfers are credited. Coin beyond the transfers is noted for a person, and credited to nobody.
func (w *Worker) lookForCoin(ctx context.Context, n *chains.Network, l *store.Look, at store.ChainBlock) error {
	if n.Coins == nil {
		return nil
	}
	head, err := n.Scanner.Head(ctx, at.Height)
	if err != nil {
		return fmt.Errorf("coin of open payins: %w", err)
	}
	height := min(head.Credit, at.Height)
	waiting, last, err := w.Store.AwaitingCoin(ctx, n.Name, n.Coin, height, l.CoinBelow, coinsAtOnce)
	if err != nil {
		return err
	}
	if err := w.coinAt(ctx, n, l, at, waiting, height); err != nil {
		return err
	}
	l.CoinBelow = last
	return nil
}

// coinAt asks about the coin at some addresses, and notes coin beyond the transfers.
func (w *Worker) coinAt(ctx context.Context, n *chains.Network, l *store.Look, at store.ChainBlock, waiting []store.Awaiting, height int64) error {
	if len(waiting) == 0 {
		return nil
	}
	asset, err := w.coinAsset(ctx, n)
	if err != nil || asset == "" {
		return err
	}
	addresses := make([]string, len(waiting))
	for i, a := range waiting {
		addresses[i] = a.Address
	}
	held, err := n.Coins(ctx, addresses, height)
	if err != nil {
		return fmt.Errorf("coin of open payins: %w", err)
	}
	var found []store.QuietHolding
	for i, a := range waiting {
		if !held[i].GreaterThan(a.Seen) || l.Knows(a.Address, asset) {
			continue
		}
		seen, err := w.Store.SeenAt(ctx, n.Name, n.Coin, a.Address, height)
		if err != nil {
			return err
		}
		if held[i].GreaterThan(seen) {
			found = append(found, store.QuietHolding{Network: n.Name, Address: a.Address, Asset: asset})
		}
	}
	if len(found) > 0 {
		if hash, err := n.Scanner.Hash(ctx, at.Height); err != nil || hash != at.Hash {
			return errors.Join(err, errMoved)
		}
	}
	return w.noteQuiet(ctx, n, l, found)
}

// coinAsset returns the asset of a network's coin, "" where the catalogue lacks the coin.
func (w *Worker) coinAsset(ctx context.Context, n *chains.Network) (string, error) {
	cat, err := w.Catalogue.On(ctx, w.Store, n)
	if err != nil {
		return "", err
	}
	for _, token := range cat.On(n.Name) {
		if token.Symbol == n.Coin {
			return token.BalanceKey, nil
		}
	}
	return "", nil
}
