package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"causeway/chains"
	"causeway/internal/store"
)

const (
	// quietAtOnce is how many addresses at which nothing was seen a look asks about, beside those that are compared.
	quietAtOnce = 100
	// quietNamed is how many of those that hold something a difference names.
	quietNamed = 5
)

// lookOnAndWalk goes on with a look, and when that has ended, with the round through the addresses at which nothing was seen: a
// payment through a contract may come in a way that no follower sees. What is found is compared with the books from then on.
func (w *Worker) lookOnAndWalk(ctx context.Context, n *chains.Network, l *store.Look, b *expected) error {
	err := w.lookOn(ctx, n, l, b)
	if err != nil || l.Going != nil {
		return err
	}
	if err := w.lookForCoin(ctx, n, l, b.at); err != nil && ctx.Err() == nil {
		return err
	}
	if l.Walk.Rests {
		return nil
	}
	if err := w.walk(ctx, n, l, b.at); err != nil && ctx.Err() == nil {
		return err
	}
	return nil // when its time was over, the next look asks again
}

// walk asks what the next quiet addresses hold at the block to which the network was followed before they were read: a transfer
// up to there would have been seen, and none of them had one.
func (w *Worker) walk(ctx context.Context, n *chains.Network, l *store.Look, at store.ChainBlock) error {
	quiet, walk, err := w.Store.QuietAddresses(ctx, n.Name, n.Family, l.Walk, quietAtOnce)
	if err != nil {
		return err
	}
	var found []store.QuietHolding
	if len(quiet) > 0 {
		if found, err = w.quietHoldings(ctx, n, quiet, at.Height); err != nil {
			return fmt.Errorf("addresses at which nothing was seen: %w", err)
		}
	}
	if len(found) > 0 {
		if hash, err := n.Scanner.Hash(ctx, at.Height); err != nil || hash != at.Hash {
			return cmp.Or(err, errMoved)
		}
	}
	l.Walk = walk
	return w.noteQuiet(ctx, n, l, found)
}

// noteQuiet notes what was found and was not known, and names whose it may be.
func (w *Worker) noteQuiet(ctx context.Context, n *chains.Network, l *store.Look, found []store.QuietHolding) error {
	found = slices.DeleteFunc(found, func(f store.QuietHolding) bool { return l.Knows(f.Address, f.Asset) })
	if len(found) == 0 {
		return nil
	}
	addresses := make([]string, len(found))
	for i, f := range found {
		addresses[i] = f.Address
	}
	owners, err := w.Store.OwnersAt(ctx, n.Family, addresses)
	if err != nil {
		return err
	}
	for _, f := range found {
		f.Owner = owners[f.Address]
		w.LogFor(n).WithField("address", f.Address).WithField("asset", f.Asset).WithField("owner", f.Owner).
			Error("money lies at an address at which nothing was seen")
		l.Noted = append(l.Noted, f)
	}
	return nil
}

// quietHoldings returns which of these addresses hold something of the catalogue.
func (w *Worker) quietHoldings(ctx context.Context, n *chains.Network, addresses []string, height int64) (found []store.QuietHolding, err error) {
	held, err := w.heldBy(ctx, n, addresses, height)
	if err != nil {
		return nil, err
	}
	for _, address := range held.Addresses() {
		for _, asset := range slices.Sorted(maps.Keys(held[address])) {
			if held[address][asset].IsPositive() {
				found = append(found, store.QuietHolding{Network: n.Name, Address: address, Asset: asset})
			}
		}
	}
	return found, nil
}

// placeNamed names a network, and where on it money of an asset was found that nobody saw come: the newest of it.
func placeNamed(network, asset string, quiet []store.QuietHolding) string {
	var at []string
	for _, q := range quiet {
		if q.Asset == asset && len(at) < quietNamed {
			place := q.Address
			if q.Owner != "" {
				place += " (" + q.Owner + ")"
			}
			at = append(at, place)
		}
	}
	if len(at) == 0 {
		return network
	}
	return network + ", also at " + strings.Join(at, ", ")
}
