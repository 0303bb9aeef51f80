package utxo

import (
	"context"
	"fmt"
	"sync"

	"causeway/chains"
	"causeway/chains/utxo/client"
)

// Bounds of the mempool as it is read: transactions asked for at once, and kept.
const (
	newAtOnce  = 5_000
	mostPooled = 60_000
)

// pool are the transactions of the mempool read so far.
type pool struct {
	sync.Mutex
	known map[hash][]chains.Transfer
}

// Pending returns the transfers of the mempool. Only transactions new since the last call are asked for.
func (c *Connector) Pending(ctx context.Context) ([]chains.Transfer, error) {
	c.pool.Lock()
	defer c.pool.Unlock()
	var names []string
	if err := c.ask(ctx, client.Ask(&names, "getrawmempool")); err != nil {
		return nil, fmt.Errorf("mempool: %w", err)
	}
	there := make(map[hash]bool, len(names))
	var fresh []hash
	for _, name := range names {
		id, ok := hashOf(name)
		if !ok {
			return nil, odd("mempool: a transaction without its id")
		}
		there[id] = true
		if _, known := c.pool.known[id]; !known && len(fresh) < newAtOnce && len(c.pool.known)+len(fresh) < mostPooled {
			fresh = append(fresh, id)
		}
	}
	found, err := c.transactions(ctx, fresh)
	if err != nil {
		return nil, fmt.Errorf("mempool: %w", err)
	}
	if c.pool.known == nil {
		c.pool.known = map[hash][]chains.Transfer{}
	}
	for id, t := range found {
		c.pool.known[id] = c.transfers(nil, t, id.String(), "")
	}
	var out []chains.Transfer
	for id, transfers := range c.pool.known {
		if !there[id] {
			delete(c.pool.known, id)
			continue
		}
		out = append(out, transfers...)
	}
	return out, nil
}
