package utxo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"causeway/chains"
	"causeway/chains/utxo/client"
)

// Bounds of the mempool as it is read: transactions asked for together, for how long in one call, and altogether.
const (
	newTogether = 500
	newFor      = 10 * time.Second
	mostPooled  = 400_000
)

// pool are the transactions of the mempool read so far.
type pool struct {
	sync.Mutex
	known map[hash]chains.Unmined
}

// Pending returns the whole mempool. Only transactions new since the last call are asked for. A full mempool takes
// several calls at first, which fail: where books were restored, a transaction of the hot wallet that is left out would be signed against.
func (c *Connector) Pending(ctx context.Context) (out chains.Unmined, err error) {
	c.pool.Lock()
	defer c.pool.Unlock()
	var names []string
	if err := c.ask(ctx, client.Ask(&names, "getrawmempool")); err != nil {
		return out, fmt.Errorf("mempool: %w", err)
	}
	fresh, err := c.pool.update(names)
	if err != nil {
		return out, err
	}
	began := time.Now()
	for together := range slices.Chunk(fresh, newTogether) {
		if time.Since(began) > newFor {
			return out, odd("mempool: %d of its %d transactions are read", len(c.pool.known), len(names))
		}
		if err := c.readPooled(ctx, together); err != nil {
			return out, fmt.Errorf("mempool: %w", err)
		}
	}
	for _, t := range c.pool.known {
		out.Transfers, out.Spent = append(out.Transfers, t.Transfers...), append(out.Spent, t.Spent...)
	}
	return out, nil
}

// readPooled asks for transactions of the mempool. One that has left it meanwhile is missing.
func (c *Connector) readPooled(ctx context.Context, ids []hash) error {
	found, err := c.transactions(ctx, ids)
	if err != nil {
		return err
	}
	for id, t := range found {
		c.pool.known[id] = chains.Unmined{Transfers: c.transfers(nil, t, id.String()), Spent: t.spent(nil, id.String())}
	}
	return nil
}

// update forgets the transactions that are no longer there, and returns those that are new.
func (p *pool) update(names []string) (fresh []hash, err error) {
	if p.known == nil {
		p.known = map[hash]chains.Unmined{}
	}
	if len(names) > mostPooled {
		return nil, odd("mempool: it has %d transactions, and at most %d are read (maxmempool of the node)", len(names), mostPooled)
	}
	there := make(map[hash]bool, len(names))
	for _, name := range names {
		id, ok := hashOf(name)
		if !ok {
			return nil, odd("mempool: a transaction without its id")
		}
		there[id] = true
	}
	for id := range p.known {
		if !there[id] {
			delete(p.known, id)
		}
	}
	for id := range there {
		if _, known := p.known[id]; !known {
			fresh = append(fresh, id)
		}
	}
	return fresh, nil
}
