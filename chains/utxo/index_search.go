package utxo

import (
	"context"
	"fmt"
	"time"

	"causeway/chains/utxo/client"
)

// search is one search of the node through all its coins. It takes minutes on a main chain, and longer than any caller may wait: it goes
// on without them, and its answer is for the next one.
type search struct {
	scripts int // it is for so many
	began   time.Time
	done    chan struct{} // closed at its end
	told    client.Scan
	err     error
}

// found returns the answer of a search for the scripts of the index, and begins one where there is none.
func (c *Connector) found(ctx context.Context) (*client.Scan, error) {
	x := &c.index
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	if x.search == nil || x.search.scripts != len(x.scripts) {
		if err := c.begin(ctx); err != nil {
			return nil, err
		}
	}
	select {
	case <-x.search.done:
		s := x.search
		x.search = nil
		return &s.told, s.err
	case <-ctx.Done():
		return nil, odd("the node searches its coins for those of our addresses, since %s", time.Since(x.search.began).Round(time.Second))
	}
}

// begin begins a search, after the one under way.
func (c *Connector) begin(ctx context.Context) error {
	x := &c.index
	if x.search != nil {
		select {
		case <-x.search.done:
		case <-ctx.Done():
			return odd("the node searches its coins for fewer addresses than are asked for, since %s", time.Since(x.search.began).Round(time.Second))
		}
	}
	wanted := make([]string, 0, len(x.scripts))
	for script := range x.scripts {
		wanted = append(wanted, fmt.Sprintf("raw(%x)", script))
	}
	s := &search{scripts: len(wanted), began: time.Now(), done: make(chan struct{})}
	x.search = s
	go func() {
		defer close(s.done)
		s.err = c.node.Within(c.cfg.ScanTimeout).Call(c.open, &s.told, "scantxoutset", "start", wanted)
		c.suspect(s.err)
	}()
	return nil
}
