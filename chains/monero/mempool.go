package monero

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"causeway/chains"
)

// Bounds of the mempool as it is read: transactions asked for together, for how long in one call, and altogether.
const (
	newTogether = 500
	newFor      = 10 * time.Second
	mostPooled  = 400_000
)

// pool are the transactions of the mempool read so far.
type pool struct {
	turn  sync.Mutex
	known map[hash]*pooled
}

// pooled is a transaction in no block yet.
type pooled struct {
	*transaction
	found []arrival
	twice bool // another one spends a coin of it
}

// Pending returns the mempool of the node in use. A payment whose coin is spent twice there is left out: it may never be mined. A full
// mempool takes several calls at first, which fail: where books were restored, a transaction of the hot wallet that is left out would be
// signed against.
func (c *Connector) Pending(ctx context.Context) (out chains.Unmined, err error) {
	if _, err := c.recognise(ctx); err != nil {
		return out, err
	}
	c.pool.turn.Lock()
	defer c.pool.turn.Unlock()
	if err := c.node.Use(ctx, func(n node) error { return c.readPool(ctx, n) }); err != nil {
		return out, fmt.Errorf("mempool: %w", err)
	}
	if len(c.pool.known) == 0 {
		return out, nil
	}
	known, err := c.know(ctx, 0)
	if err != nil {
		return out, fmt.Errorf("mempool: %w", err)
	}
	for _, p := range c.pool.known {
		spent, _, err := known.spends(p.transaction)
		if err != nil {
			return out, fmt.Errorf("mempool: %w", err)
		}
		out.Spent = append(out.Spent, spent...)
		for _, a := range p.found {
			if !p.twice {
				out.Transfers = append(out.Transfers, c.transfer(p.transaction, a))
			}
		}
	}
	return out, nil
}

// readPool brings what is known of the mempool up to that of the node. Those that pay us are asked for again, since a second spend may have
// been seen meanwhile.
func (c *Connector) readPool(ctx context.Context, n node) error {
	names, err := n.Client.Pool(ctx)
	if err != nil {
		return err
	}
	asked, err := c.pool.update(names)
	if err != nil {
		return err
	}
	began := time.Now()
	for together := range slices.Chunk(asked, newTogether) {
		if time.Since(began) > newFor {
			return odd("%d of its %d transactions are read", len(c.pool.known), len(names))
		}
		if err := c.readPooled(ctx, n, together); err != nil {
			return err
		}
	}
	return nil
}

// readPooled reads transactions of the mempool. One that has left it meanwhile is left out.
func (c *Connector) readPooled(ctx context.Context, n node, ids []string) error {
	told, err := n.Client.Transactions(ctx, ids)
	if err != nil {
		return err
	}
	for i := range told {
		if !told[i].InPool {
			continue
		}
		t, err := readTransaction(ctx, n, &told[i], anyHeight)
		if err != nil {
			return err
		}
		if !slices.Contains(ids, t.id.String()) {
			return odd("transaction %.64s was not asked for", told[i].Hash)
		}
		c.pool.known[t.id] = &pooled{transaction: t, found: c.view.arrivals(t, c.among), twice: told[i].Twice}
	}
	return nil
}

// update forgets the transactions that are no longer there, and returns those to ask for: new ones, and those that pay us.
func (p *pool) update(names []string) (asked []string, err error) {
	if p.known == nil {
		p.known = map[hash]*pooled{}
	}
	if len(names) > mostPooled {
		return nil, odd("it has %d transactions, and at most %d are read (max-txpool-weight of the node)", len(names), mostPooled)
	}
	there := make(map[hash]bool, len(names))
	for _, name := range names {
		raw, err := hex.DecodeString(name)
		if err != nil || len(raw) != 32 {
			return nil, odd("a transaction without its id")
		}
		id := hash(raw)
		if known := p.known[id]; !there[id] && (known == nil || len(known.found) > 0) {
			asked = append(asked, name)
		}
		there[id] = true
	}
	for id := range p.known {
		if !there[id] {
			delete(p.known, id)
		}
	}
	return asked, nil
}
