package solana

import (
	"context"
	"fmt"
	"sync"

	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/solana/client"
)

// A node has the balances of the newest final slot alone. The transactions of an account since the height asked for are taken away again.

// Holdings returns each address's balance of a token at a height.
func (c *Connector) Holdings(ctx context.Context, symbol string, of []string, height int64) ([]decimal.Decimal, error) {
	var units []uint64
	var t token
	err := c.use(ctx, func(v view) (err error) {
		units, t, err = v.held(ctx, symbol, of, height)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("holdings of %s at %d: %w", symbol, height, err)
	}
	out := make([]decimal.Decimal, len(of))
	for i, u := range units {
		out[i] = t.amount(u)
	}
	return out, nil
}

func (v view) held(ctx context.Context, symbol string, of []string, height int64) ([]uint64, token, error) {
	tables, err := v.tokens(ctx)
	if err != nil {
		return nil, token{}, err
	}
	t, known := tables.bySymbol[symbol]
	if !known || !t.native && t.program == nil {
		return nil, t, fmt.Errorf("%s has no token %q", Network, symbol)
	}
	owners := make([]key, len(of))
	for i, address := range of {
		k, ok := readKey(address)
		if !ok {
			return nil, t, fmt.Errorf("%q: %w", address, chains.ErrFormat)
		}
		owners[i] = k
	}
	all, err := watchedOf(owners, t)
	if err != nil || len(all) == 0 {
		return nil, t, err
	}
	l := &look{view: v, from: end(height) + 1, to: end(height), tables: tables}
	units, err := l.heldAt(ctx, all)
	return units, t, err
}

// heldAt returns what accounts held at the end of the look. Only transactions of the hot wallet can leave an account of ours empty, so of empty
// ones none but those are looked at.
func (l *look) heldAt(ctx context.Context, all []watched) ([]uint64, error) {
	keys := make([]key, len(all)+1)
	for i, w := range all {
		keys[i] = w.at
	}
	keys[len(all)] = l.hot
	now, err := l.accounts(ctx, keys, l.to)
	if err != nil {
		return nil, err
	}
	mine, err := l.since(ctx, l.hot, now[len(all)].slot)
	if err != nil {
		return nil, err
	}
	units := make([]uint64, len(all))
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(askedAtOnce)
	var mu sync.Mutex
	for i, w := range all {
		held, err := w.holds(now[i].account)
		if err != nil {
			return nil, err
		}
		if units[i] = held; held == 0 && !named(mine, w.at) && w.owner != l.hot && w.owner.String() != l.cfg.Cold {
			continue
		}
		asking.Go(func() error {
			since, err := l.since(ctx, w.at, now[i].slot)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			for _, d := range since {
				units[i] -= uint64(d.change(w))
			}
			return nil
		})
	}
	return units, asking.Wait()
}

// since returns an account's transactions behind the look, up to a slot.
func (l *look) since(ctx context.Context, at key, slot int64) ([]*done, error) {
	entries, err := l.entries(ctx, at, l.from, slot)
	if err != nil {
		return nil, err
	}
	listed := map[string]client.Entry{}
	for _, e := range entries {
		if e.Slot <= slot {
			listed[e.Signature] = e
		}
	}
	return l.transactions(ctx, listed)
}

func named(all []*done, at key) bool {
	for _, d := range all {
		if d.names(at) {
			return true
		}
	}
	return false
}
