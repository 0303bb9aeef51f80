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

// Pending returns the whole mempool of the node in use. Only transactions new since the last call are asked for. A full mempool takes
// several calls at first, which fail: where books were restored, a transaction of the hot wallet that is left out would be signed against.
func (c *Connector) Pending(ctx context.Context) (out chains.Unmined, err error) {
	c.pool.Lock()
	defer c.pool.Unlock()
	if err := c.use(ctx, func(v view) error { return v.readMempool(ctx) }); err != nil {
		return out, fmt.Errorf("mempool: %w", err)
	}
	for _, t := range c.pool.known {
		out.Transfers, out.Spent = append(out.Transfers, t.Transfers...), append(out.Spent, t.Spent...)
	}
	return out, nil
}

// readMempool brings what is known of the mempool up to that of the node.
func (v view) readMempool(ctx context.Context) error {
	var names []string
	if err := v.ask(ctx, client.Ask(&names, "getrawmempool")); err != nil {
		return err
	}
	fresh, err := v.pool.update(names)
	if err != nil {
		return err
	}
	began := time.Now()
	for together := range slices.Chunk(fresh, newTogether) {
		if time.Since(began) > newFor {
			return later("%d of its %d transactions are read", len(v.pool.known), len(names))
		}
		if err := v.readPooled(ctx, together); err != nil {
			return err
		}
	}
	return nil
}

// readPooled asks for transactions of the mempool. One that has left it meanwhile is missing.
func (v view) readPooled(ctx context.Context, ids []hash) error {
	found, err := v.transactions(ctx, ids)
	if err != nil {
		return err
	}
	for id, t := range found {
		v.pool.known[id] = chains.Unmined{Transfers: v.transfers(nil, t, id.String()), Spent: t.spent(nil, id.String())}
	}
	return nil
}

// update forgets the transactions that are no longer there, and returns those that are new.
func (p *pool) update(names []string) (fresh []hash, err error) {
	if p.known == nil {
		p.known = map[hash]chains.Unmined{}
	}
	if len(names) > mostPooled {
		return nil, odd("it has %d transactions, and at most %d are read (maxmempool of the node)", len(names), mostPooled)
	}
	there := make(map[hash]bool, len(names))
	for _, name := range names {
		id, ok := hashOf(name)
		if !ok {
			return nil, odd("a transaction without its id")
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
