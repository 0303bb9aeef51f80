package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"causeway/chains"
	"causeway/internal/store"
)

const (
	// quietAtOnce is how many addresses without any seen transfer a look asks about, beside the compared ones.
	quietAtOnce = 100
	// quietDays is how old payins are at most about which a round asks.
	quietDays = 8
	// quietNamed is how many addresses with such holdings a difference names.
	quietNamed = 5
)

// lookOnAndWalk goes on with a look and, once it has ended, with the round through the addresses without any seen transfer: a payment
// through a contract may come unseen by every follower. Findings are compared with the books from then on.
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

// walk asks about the holdings of the next quiet addresses at the last block followed before they were read: a transfer up to there
// would have been seen, and none of them had one.
func (w *Worker) walk(ctx context.Context, n *chains.Network, l *store.Look, at store.ChainBlock) error {
	quiet, walk, err := w.Store.QuietAddresses(ctx, n.Name, n.Family, quietSince(n), l.Walk, quietAtOnce)
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

// quietSince is since when payins were made that a round asks about: open ones, and those that ended in the week before. Where nodes are
// asked for addresses, a payment to an older payin is found by nothing else.
func quietSince(n *chains.Network) time.Time {
	if n.AskFor != nil {
		return time.Now().AddDate(-1, 0, 0)
	}
	return time.Now().AddDate(0, 0, -quietDays)
}

// noteQuiet notes new findings, and names their possible owners.
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

// quietHoldings returns the holdings of these addresses, of tokens of the catalogue.
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

// placeNamed names a network, and the places there with an asset's money seen by nobody: the newest of them.
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
