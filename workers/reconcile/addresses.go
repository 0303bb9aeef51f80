package reconcile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/store"
)

const (
	// recentFor is how long each look asks about an address after a transfer to it.
	recentFor = 2 * time.Hour
	// allAfter is how long after the last whole look the next one asks about every address. It is below recentFor: an answer taken as
	// known by a look includes the address's last transfer.
	allAfter = time.Hour
	// oldAtOnce is how many addresses of long ago a look asks about, in turn: a hundred thousand in a day.
	oldAtOnce = 40
)

// holdings asks the network about our addresses' holdings of every token of the catalogue, from where a look stands. Addresses long
// at rest are asked about in turn, a few in each look, so requests do not grow with them.
func (w *Worker) holdings(ctx context.Context, n *chains.Network, l *store.Look) error {
	for g := l.Going; !g.Asked; l.Asked++ {
		next, old, err := w.nextAddresses(ctx, n, l)
		if err != nil {
			return err
		}
		addresses := slices.Concat(next, old)
		if g.After == "" {
			addresses = append(append(addresses, n.Hot), g.ColdAt...)
		}
		slices.Sort(addresses)
		held, err := w.heldBy(ctx, n, slices.Compact(addresses), g.Height)
		if err != nil {
			return err
		}
		if hot := held[n.Hot]; hot != nil && g.After == "" {
			g.Hot = hot
		}
		if g.After == "" {
			g.Cold = sumOf(held, g.ColdAt)
			if g.Staked, err = w.staked(ctx, n, g); err != nil {
				return err
			}
		}
		for _, own := range slices.Concat([]string{n.Hot}, g.ColdAt, g.Unready) { // transfers to them have rows, too
			delete(held, own)
		}
		if l.Held == nil {
			l.Held = store.Held{}
		}
		maps.Copy(l.Held, held)
		if g.Asked = len(next) < addressesAtOnce; !g.Asked {
			g.After = next[len(next)-1]
		} else if !g.All {
			l.Turn = turnAfter(old)
		}
	}
	return nil
}

// staked returns what of the hot wallet's holdings is staked, by asset.
func (w *Worker) staked(ctx context.Context, n *chains.Network, g *store.Going) (map[string]decimal.Decimal, error) {
	cat, err := w.Catalogue.On(ctx, w.Store, n)
	if err != nil || n.Staking == nil {
		return nil, err
	}
	can, err := n.Staking.Spendable(ctx, n.Hot, g.Height)
	if err != nil {
		return nil, fmt.Errorf("stake of the hot wallet: %w", err)
	}
	coin := cat.Asset(n.Coin, n.Name)
	return map[string]decimal.Decimal{coin: g.Hot[coin].Sub(can)}, nil
}

// asksAll reports whether a look asks about every address: after allAfter, and while a found difference stops an asset, so the stop
// can be ended as soon as it is mended.
func asksAll(l *store.Look, began time.Time) bool {
	return began.Sub(l.HeldAt) > allAfter || slices.ContainsFunc(l.Found, func(d store.Difference) bool { return d.Stops() })
}

// nextAddresses returns the next addresses for a look to ask about, and, with the last of them, the old ones whose turn it is.
func (w *Worker) nextAddresses(ctx context.Context, n *chains.Network, l *store.Look) (next, old []string, err error) {
	g := l.Going
	if g.All {
		next, err = w.Store.UsedAddresses(ctx, n.Name, g.After, addressesAtOnce)
		return next, nil, err
	}
	next, err = w.Store.RecentAddresses(ctx, n.Name, g.Began.Add(-recentFor), g.After, addressesAtOnce)
	if err != nil || len(next) == addressesAtOnce {
		return next, nil, err
	}
	old, err = w.Store.OldAddresses(ctx, n.Name, l.Turn, oldAtOnce)
	return next, old, err
}

// turnAfter returns the address after which the next look goes on, "" to begin again.
func turnAfter(old []string) string {
	if len(old) < oldAtOnce {
		return ""
	}
	return old[len(old)-1]
}

// heldBy asks about the holdings of addresses, of every token of the catalogue.
func (w *Worker) heldBy(ctx context.Context, n *chains.Network, addresses []string, height int64) (store.Held, error) {
	cat, err := w.Catalogue.On(ctx, w.Store, n)
	if err != nil {
		return nil, err
	}
	out := make(store.Held, len(addresses))
	for _, token := range cat.On(n.Name) {
		if len(addresses) == 0 {
			break
		}
		held, err := n.Holder.Holdings(ctx, token.Symbol, addresses, height)
		if err != nil {
			return nil, fmt.Errorf("holdings of %s: %w", token.Symbol, err)
		}
		for i, a := range addresses {
			if out[a] == nil {
				out[a] = map[string]decimal.Decimal{}
			}
			out[a][token.BalanceKey] = out[a][token.BalanceKey].Add(held[i])
		}
	}
	return out, nil
}

// sumOf adds up what some addresses hold, by asset.
func sumOf(held store.Held, addresses []string) map[string]decimal.Decimal {
	out := map[string]decimal.Decimal{}
	for _, address := range addresses {
		for asset, amount := range held[address] {
			out[asset] = out[asset].Add(amount)
		}
	}
	return out
}

// addUp adds up a network's holdings of each asset: the hot wallet's, the cold addresses', those just answered for addresses, and the
// others' when they were last asked about.
func (w *Worker) addUp(ctx context.Context, n *chains.Network, l *store.Look) error {
	rest, err := w.Store.HeldElsewhere(ctx, n.Name, slices.Concat(l.Held.Addresses(), l.Going.ColdAt, l.Going.Unready))
	if err != nil {
		return err
	}
	l.Going.Got = make(map[string]decimal.Decimal, len(l.Going.Hot))
	for asset, sum := range l.Going.Hot {
		sum = sum.Add(rest[asset]).Add(l.Going.Cold[asset])
		for _, held := range l.Held {
			sum = sum.Add(held[asset])
		}
		l.Going.Got[asset] = sum
	}
	return nil
}

// holds returns what a whole look has found: on the hot wallet, on the cold addresses, and on all other addresses together.
func holds(n *chains.Network, g *store.Going) *store.Holdings {
	deposits := make(map[string]decimal.Decimal, len(g.Got))
	for asset, sum := range g.Got {
		deposits[asset] = sum.Sub(g.Hot[asset]).Sub(g.Cold[asset])
	}
	return &store.Holdings{Hot: g.Hot, Cold: g.Cold, Deposits: deposits, Staked: g.Staked, Address: n.HotAddress(), Height: g.Height, SeenAt: g.Began}
}

// sameDifferences reports whether two looks have found the same: each asset is off by as much in both, whatever its sums are.
func sameDifferences(found, before []store.Difference) bool {
	return slices.EqualFunc(found, before, func(a, b store.Difference) bool {
		return a.Check == b.Check && a.Asset == b.Asset && a.Surplus == b.Surplus && offBy(a).Equal(offBy(b))
	})
}

// offBy returns by how much a look differs from the books.
func offBy(d store.Difference) decimal.Decimal {
	want, wrong := decimal.NewFromString(d.Want)
	got, unread := decimal.NewFromString(d.Got)
	if wrong != nil || unread != nil {
		return decimal.Zero
	}
	return got.Sub(want)
}
