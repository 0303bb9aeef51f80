package tron

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"causeway/chains"
	"causeway/chains/tron/client"
)

// rereads is how often an answer is asked for again because the chain has changed meanwhile.
const rereads = 5

// errForked says that the chain has changed between two answers.
var errForked = odd("the chain changes faster than it can be read")

// getBlock asks for the header of a block, without its transactions.
type getBlock struct {
	Block  string `json:"id_or_num,omitempty"` // none for the newest
	Detail bool   `json:"detail"`
}

func blockQuestion(block string) getBlock { return getBlock{Block: block} }

// The views of a node.
const (
	whole = "wallet"         // all blocks
	solid = "walletsolidity" // the solid ones
)

// header reads a header in a view of the node: of the newest block, or of the one at a height. Nil says that there is none.
func (c *Connector) header(ctx context.Context, view, block string) (*client.Header, error) {
	var h client.Header
	if err := c.ask(ctx, &h, view+"/getblock", blockQuestion(block)); err != nil {
		return nil, err
	}
	if h.ID == "" {
		return nil, nil
	}
	raw := h.Header.Raw
	height := strconv.FormatInt(raw.Number, 10)
	if !isHash(h.ID) || raw.Number < 0 || block != "" && block != height || raw.Number > 0 && raw.Timestamp <= 0 {
		return nil, odd("block %q without its fields", block)
	}
	return &h, nil
}

// at reads the header of the block at a height.
func (c *Connector) at(ctx context.Context, height int64) (*client.Header, error) {
	return c.header(ctx, whole, heightText(height))
}

// newest reads the header of the newest block of a view.
func (c *Connector) newest(ctx context.Context, view string) (*client.Header, error) {
	h, err := c.header(ctx, view, "")
	if err == nil && h == nil {
		err = odd("the node tells no newest block")
	}
	return h, err
}

// Head returns the best height, and how far blocks may be credited and are final: by the node's solid view, which is also the clock. A
// node that has gone behind a block both followed and final is down.
func (c *Connector) Head(ctx context.Context, followed int64) (chains.Head, error) {
	for range rereads {
		best, err := c.newest(ctx, whole)
		if err != nil {
			return chains.Head{}, fmt.Errorf("head: %w", err)
		}
		var at *client.Header
		if followed >= 0 && followed <= best.Header.Raw.Number {
			if at, err = c.at(ctx, followed); err != nil {
				return chains.Head{}, fmt.Errorf("head: %w", err)
			}
		}
		final, err := c.newest(ctx, solid)
		if err != nil {
			return chains.Head{}, fmt.Errorf("head: %w", err)
		}
		again, err := c.newest(ctx, whole)
		if err != nil {
			return chains.Head{}, fmt.Errorf("head: %w", err)
		}
		if again.ID != best.ID || final.Header.Raw.Number > best.Header.Raw.Number { // or another node behind the same address
			continue
		}
		h, err := c.judge(best, at, final, followed)
		if err == nil && h.Final < final.Header.Raw.Number {
			h.Clock, err = c.clockAt(ctx, h.Final)
		}
		return h, err
	}
	return chains.Head{}, fmt.Errorf("head: %w", errForked)
}

// judge applies the rule, and remembers how far the chain is final.
func (c *Connector) judge(best, at, final *client.Header, followed int64) (chains.Head, error) {
	height, top := best.Header.Raw.Number, final.Header.Raw.Number
	switch {
	case at == nil && followed >= 0 && followed <= height:
		return chains.Head{}, odd("head: no block %d below the best one", followed)
	case top == height && final.ID != best.ID:
		return chains.Head{}, odd("head: the solid block %d is another one", top)
	}
	h := chains.Head{Height: height, Clock: final.Header.Raw.Timestamp, Time: timeOf(best), Rule: c.ruleInWords(),
		Marks: []chains.Mark{{Height: height, Hash: best.ID}}}
	if at != nil && followed != height {
		h.Marks = append(h.Marks, chains.Mark{Height: followed, Hash: at.ID})
	}
	h.Final = deep(c.cfg.Rule.Final, height, top)
	if c.cfg.Rule.Final != Solid {
		h.Final = min(h.Final, top)
	}
	h.Credit = max(h.Final, deep(c.cfg.Rule.Credit, height, top))
	known := c.followed.Load()
	if height < known {
		return chains.Head{}, odd("head: the node went back to block %d, behind block %d, which was final", height, known)
	}
	for now := min(h.Final, followed); now > known && !c.followed.CompareAndSwap(known, now); {
		known = c.followed.Load()
	}
	return h, nil
}

// clockAt is the time of a final block.
func (c *Connector) clockAt(ctx context.Context, height int64) (int64, error) {
	h, err := c.at(ctx, height)
	if err == nil && h == nil {
		err = odd("no block %d below the solid one", height)
	}
	if err != nil {
		return 0, fmt.Errorf("head: %w", err)
	}
	return h.Header.Raw.Timestamp, nil
}

// deep returns the highest block at a depth.
func deep(d Depth, height, solid int64) int64 {
	if d == Solid {
		return solid
	}
	return max(0, height-int64(d)+1)
}

func timeOf(h *client.Header) time.Time { return time.UnixMilli(h.Header.Raw.Timestamp).UTC() }

func (c *Connector) ruleInWords() string {
	return fmt.Sprintf("credit: %s, final: %s", c.cfg.Rule.Credit, c.cfg.Rule.Final)
}

// Hash returns the hash of the block at height now, "" when there is none.
func (c *Connector) Hash(ctx context.Context, height int64) (string, error) {
	if height < 0 {
		return "", c.ready(ctx)
	}
	h, err := c.at(ctx, height)
	if err != nil {
		return "", fmt.Errorf("hash of block %d: %w", height, err)
	}
	if h == nil {
		return "", nil
	}
	return h.ID, nil
}

// HashBelow returns the hash of a block in the chain of another one, "" when the node has another chain. The node is asked for top before
// and after.
func (c *Connector) HashBelow(ctx context.Context, top chains.Mark, height int64) (string, error) {
	if height < 0 || height > top.Height {
		return "", c.ready(ctx)
	}
	var hashes [3]string
	for i, at := range []int64{top.Height, height, top.Height} {
		var err error
		if hashes[i], err = c.Hash(ctx, at); err != nil {
			return "", fmt.Errorf("hash of block %d below %d: %w", height, top.Height, err)
		}
	}
	if hashes[0] != top.Hash || hashes[2] != top.Hash {
		return "", nil
	}
	return hashes[1], nil
}
