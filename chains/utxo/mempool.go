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

// Bounds of the mempool as it is read: transactions asked for together, for how long in one call, and kept.
const (
	newTogether = 500
	newFor      = 3 * time.Second
	mostPooled  = 60_000
)

// pool are the transactions of the mempool read so far.
type pool struct {
	sync.Mutex
	known map[hash][]chains.Transfer
}

// Pending returns the transfers of the mempool. Only transactions new since the last call are asked for. A full mempool takes several
// calls at first: those read so far are returned.
func (c *Connector) Pending(ctx context.Context) ([]chains.Transfer, error) {
	c.pool.Lock()
	defer c.pool.Unlock()
	var names []string
	if err := c.ask(ctx, client.Ask(&names, "getrawmempool")); err != nil {
		return nil, fmt.Errorf("mempool: %w", err)
	}
	fresh, err := c.pool.update(names)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	for together := range slices.Chunk(fresh, newTogether) {
		found, err := c.transactions(ctx, together)
		if err != nil {
			return nil, fmt.Errorf("mempool: %w", err)
		}
		for id, t := range found {
			c.pool.known[id] = c.transfers(nil, t, id.String(), "")
		}
		if time.Since(began) > newFor {
			break
		}
	}
	var out []chains.Transfer
	for _, transfers := range c.pool.known {
		out = append(out, transfers...)
	}
	return out, nil
}

// update forgets the transactions that are no longer there, and returns those that are new.
func (p *pool) update(names []string) (fresh []hash, err error) {
	if p.known == nil {
		p.known = map[hash][]chains.Transfer{}
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
		if _, known := p.known[id]; !known && len(p.known)+len(fresh) < mostPooled {
			fresh = append(fresh, id)
		}
	}
	return fresh, nil
}
