package reconcile

import (
	"context"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/store"
)

// Names of the two comparisons of a network with the books.
const (
	holdsCheck  = "the ledger equals what our addresses hold"
	shrinkCheck = "an open surplus shrinks by corrections only"
)

// differences compares a look with the books. An open surplus counts as held: without it, a loss of less than the surplus
// would show as a smaller surplus.
func differences(network string, l *store.Look) (out []store.Difference) {
	g := l.Going
	for _, asset := range slices.Sorted(maps.Keys(g.Got)) {
		books, got, open := g.Want[asset], g.Got[asset], openSurplus(l, asset)
		d := store.Difference{Check: holdsCheck, Where: network, Network: network, Asset: asset, Want: books.String(), Got: got.String()}
		switch want := books.Add(open); {
		case got.LessThan(want):
			if d.Want = want.String(); open.IsPositive() {
				d.Check = shrinkCheck
			}
		case got.GreaterThan(books):
			d.Surplus, d.Where = true, placeNamed(network, asset, l.Quiet)
		default:
			continue
		}
		out = append(out, d)
	}
	return out
}

// openSurplus returns the surplus that a network must still hold, less the part taken by operators.
func openSurplus(l *store.Look, asset string) decimal.Decimal {
	for i := range l.Surpluses {
		if s := &l.Surpluses[i]; s.Asset == asset {
			return decimal.Max(decimal.Zero, s.Known.Sub(l.Going.Books.Taken[asset]))
		}
	}
	return decimal.Zero
}

// noteSurpluses notes each surplus larger than known before. It counts once the block of this look is final: anybody can pay dust in
// a block later taken out by a reorganisation, and this must not look like a loss. A surplus seen while the network has undone a
// payment of ours is not noted: it ends when the payment is mined again. While an asset is stopped, its books may be wrong
// themselves: a posting deleted and put back would look like a loss.
func noteSurpluses(network string, l *store.Look) {
	if l.Going.Unsettled {
		return
	}
	for _, asset := range slices.Sorted(maps.Keys(l.Going.Got)) {
		beyond := l.Going.Got[asset].Sub(l.Going.Want[asset])
		seen := beyond.Add(l.Going.Books.Taken[asset])
		i := slices.IndexFunc(l.Surpluses, func(s store.Surplus) bool { return s.Asset == asset })
		if slices.Contains(l.Going.Stopped, asset) || !beyond.IsPositive() || i >= 0 && (l.Surpluses[i].Hash != "" || !seen.GreaterThan(l.Surpluses[i].Known)) {
			continue
		}
		if i < 0 {
			i, l.Surpluses = len(l.Surpluses), append(l.Surpluses, store.Surplus{Network: network, Asset: asset})
		}
		s := &l.Surpluses[i]
		s.Seen, s.Height, s.Hash, l.Moved = seen, l.Going.Height, l.Going.Hash, true
	}
}

// settleSurpluses decides on the surpluses whose block is final by now: they are known if the block is still in the chain and the
// asset is not stopped. It asks the network only while one waits.
func settleSurpluses(ctx context.Context, n *chains.Network, l *store.Look) error {
	if !slices.ContainsFunc(l.Surpluses, func(s store.Surplus) bool { return s.Hash != "" }) {
		return nil
	}
	head, err := n.Scanner.Head(ctx, -1)
	if err != nil {
		return err
	}
	for i := range l.Surpluses {
		s := &l.Surpluses[i]
		if s.Hash == "" || s.Height > head.Final {
			continue
		}
		hash, err := n.Scanner.Hash(ctx, s.Height)
		if err != nil {
			return err
		}
		if hash == s.Hash && !slices.Contains(l.Going.Stopped, s.Asset) {
			s.Known = decimal.Max(s.Known, s.Seen)
		}
		s.Hash, l.Moved = "", true
	}
	return nil
}
