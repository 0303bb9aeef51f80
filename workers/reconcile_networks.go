package workers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/ledger"
	"causeway/pay"
	"causeway/store"
)

const (
	// addressesAtOnce is how many addresses one question to a network names.
	addressesAtOnce = 1000
	// networkShare bounds the part of the time that looking at a slow network takes: one that took two seconds to answer is
	// asked again after forty, and what was found stands until then.
	networkShare = 20
	slowNetwork  = 2 * time.Second
	// networksAtOnce is how many networks are asked at a time, and networksFor how long all of them together may take.
	networksAtOnce = 8
	networksFor    = 10 * time.Second
)

// looks remembers what this process found when it last compared each network.
type looks struct {
	mu sync.Mutex
	of map[string]look
}

type look struct {
	found []store.Difference
	until time.Time
}

func (l *looks) standing(network string) (look, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, ok := l.of[network]
	return last, ok && time.Now().Before(last.until)
}

func (l *looks) keep(network string, found []store.Difference, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if took < slowNetwork {
		return
	}
	if l.of == nil {
		l.of = map[string]look{}
	}
	l.of[network] = look{found, time.Now().Add(networkShare * took)}
}

// books is what our books say of one network at one moment.
type books struct {
	at      store.ChainBlock              // the block to which it is followed
	want    map[string]decimal.Decimal    // by asset, what our addresses hold
	open    []pay.SignedTransaction       // that may have moved something which is not settled yet
	payouts map[uuid.UUID]*pay.Payout     // of those
	spent   map[uuid.UUID]decimal.Decimal // what the books say that those of them cost which were final once, by ledger.Gas
}

// reconcileNetworks compares holdings by asset at the followed height of every network. A network that does not answer in
// time is named with the reason; it says nothing about the others.
func (w *Workers) reconcileNetworks(ctx context.Context) (out []store.Difference, unreached map[string]string) {
	ctx, cancel := context.WithTimeout(ctx, networksFor)
	defer cancel()
	unreached = map[string]string{}
	known, err := w.books(ctx, w.Networks.All()...)
	var mu sync.Mutex
	var g errgroup.Group
	asked := 0
	w.tell("asking the networks", asked, len(w.Networks.All()))
	g.SetLimit(networksAtOnce)
	for _, n := range w.Networks.All() {
		g.Go(func() error {
			found, err := w.reconcileNetwork(ctx, n, known[n.Name], err)
			mu.Lock()
			defer mu.Unlock()
			asked++
			w.tell("asking the networks", asked, len(w.Networks.All()))
			out = append(out, found...)
			if err != nil {
				unreached[n.Name] = err.Error()
			}
			return nil
		})
	}
	_ = g.Wait() // what went wrong is in unreached
	slices.SortFunc(out, func(a, b store.Difference) int {
		return cmp.Or(cmp.Compare(a.Where, b.Where), cmp.Compare(a.Asset, b.Asset))
	})
	return out, unreached
}

// reconcileNetwork compares one network. What differs is looked at once more, since the network may have moved in between.
func (w *Workers) reconcileNetwork(ctx context.Context, n *chains.Network, b *books, err error) ([]store.Difference, error) {
	if err != nil {
		return nil, err
	}
	if last, ok := w.looks.standing(n.Name); ok {
		return last.found, nil
	}
	began := time.Now()
	found, err := w.compareHoldings(ctx, n, b)
	if err == nil && len(found) > 0 {
		var known map[string]*books
		if known, err = w.books(ctx, n); err == nil {
			found, err = w.compareHoldings(ctx, n, known[n.Name])
		}
	}
	if err == nil {
		w.looks.keep(n.Name, found, time.Since(began))
	}
	return found, err
}

// books reads what the books say of networks, all at one moment; a network that is not followed yet has none.
func (w *Workers) books(ctx context.Context, networks ...*chains.Network) (map[string]*books, error) {
	out := map[string]*books{}
	err := w.Store.Snapshot(ctx, func(tx *store.Store) error {
		want, err := tx.LedgerHoldings(ctx)
		if err != nil {
			return err
		}
		for _, n := range networks {
			blocks, err := tx.BlocksBelow(ctx, n.Name, 1<<62, 1)
			if err != nil {
				return err
			}
			if len(blocks) == 0 {
				continue
			}
			b := &books{at: blocks[0], want: want[n.Name]}
			if b.want == nil {
				b.want = map[string]decimal.Decimal{}
			}
			if b.open, err = tx.OpenSigned(ctx, n.Name, math.MaxInt64, 100_000); err != nil {
				return err
			}
			if b.payouts, err = tx.PayoutsOf(ctx, payoutIDs(b.open)); err != nil {
				return err
			}
			if b.spent, err = tx.GasBooked(ctx, b.unfinal(n.Name)); err != nil {
				return err
			}
			out[n.Name] = b
		}
		return nil
	})
	return out, err
}

func payoutIDs(signed []pay.SignedTransaction) []uuid.UUID {
	out := make([]uuid.UUID, len(signed))
	for i := range signed {
		out[i] = signed[i].PayoutID
	}
	return unique(out)
}

func (w *Workers) compareHoldings(ctx context.Context, n *chains.Network, b *books) ([]store.Difference, error) {
	if b == nil {
		return nil, nil
	}
	if err := b.takeOff(ctx, n); err != nil {
		return nil, err
	}
	got, err := w.holdings(ctx, n, b.at.Height)
	if err != nil {
		return nil, err
	}
	hash, err := n.Scanner.Hash(ctx, b.at.Height)
	if err != nil || hash != b.at.Hash { // it reorganised meanwhile: the next look tells
		return nil, err
	}
	var out []store.Difference
	for _, asset := range slices.Sorted(maps.Keys(got)) {
		if !b.want[asset].Equal(got[asset]) {
			out = append(out, store.Difference{Check: "the ledger equals what our addresses hold", Where: n.Name, Asset: asset,
				Want: b.want[asset].String(), Got: got[asset].String(), Surplus: got[asset].GreaterThan(b.want[asset])})
		}
	}
	return out, nil
}

// unfinal answers where the gas is booked of transactions that were final before a reorganisation undid them: those of payouts
// that are settled.
func (b *books) unfinal(network string) (spent []uuid.UUID) {
	for i := range b.open {
		if b.payouts[b.open[i].PayoutID].Status.Public() != "pending" {
			spent = append(spent, ledger.Gas(network, b.open[i].Txid))
		}
	}
	return spent
}

// takeOff subtracts what transactions in blocks have moved that is not in the books, and adds what is in the books of
// transactions that a reorganisation took out of the blocks.
func (b *books) takeOff(ctx context.Context, n *chains.Network) error {
	if len(b.open) == 0 {
		return nil
	}
	txids := make([]string, len(b.open))
	for i := range b.open {
		txids[i] = b.open[i].Txid
	}
	status, err := n.Watcher.Status(ctx, txids)
	if err != nil {
		return err
	}
	for i := range b.open {
		t, now := &b.open[i], status[b.open[i].Txid]
		p := b.payouts[t.PayoutID]
		if (now.State == chains.TxMined || now.State == chains.TxReverted) && now.Height <= b.at.Height {
			b.want[n.Coin] = b.want[n.Coin].Sub(now.Fee)
			if now.State == chains.TxMined && t.Purpose != "cancel" {
				b.want[p.Asset] = b.want[p.Asset].Sub(p.Amount)
			}
		}
		if cost, booked := b.spent[ledger.Gas(n.Name, t.Txid)]; booked {
			b.want[n.Coin] = b.want[n.Coin].Add(cost)
			if p.Status == pay.PayoutCompleted && *p.Txid == t.Txid {
				b.want[p.Asset] = b.want[p.Asset].Add(p.Amount)
			}
		}
	}
	return nil
}

// holdings asks the network what our addresses hold of every token of the catalogue, by asset.
func (w *Workers) holdings(ctx context.Context, n *chains.Network, height int64) (map[string]decimal.Decimal, error) {
	cat, err := w.catalogue.now(ctx, w.Store)
	if err != nil {
		return nil, err
	}
	out := map[string]decimal.Decimal{}
	addresses, after := []string{n.Hot}, ""
	for {
		more, err := w.Store.UsedAddresses(ctx, n.Name, after, addressesAtOnce)
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, more...)
		for pair, token := range cat.tokens {
			if pair[1] != n.Name {
				continue
			}
			held, err := n.Holder.Holdings(ctx, token.Symbol, addresses, height)
			if err != nil {
				return nil, fmt.Errorf("holdings of %s: %w", token.Symbol, err)
			}
			out[token.BalanceKey] = out[token.BalanceKey].Add(held)
		}
		if len(more) < addressesAtOnce {
			return out, nil
		}
		addresses, after = nil, more[len(more)-1]
	}
}
