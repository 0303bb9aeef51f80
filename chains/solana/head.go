package solana

import (
	"context"
	"fmt"

	"causeway/chains"
)

// Head returns the newest whole block of ours. It is final, and so may be credited as far as a second node has it. The clock is the count of
// blocks at the end of what is final.
func (c *Connector) Head(ctx context.Context, followed int64) (head chains.Head, err error) {
	err = c.use(ctx, func(v view) (err error) {
		head, err = v.head(ctx, followed)
		return err
	})
	if err != nil {
		return chains.Head{}, fmt.Errorf("head: %w", err)
	}
	return head, nil
}

// head is Head, as one node answers.
func (v view) head(ctx context.Context, followed int64) (h chains.Head, err error) {
	height, err := v.tip(ctx)
	if err != nil {
		return h, err
	}
	if known := v.followed.Load(); height < known {
		return h, odd("the node went back to block %d, behind block %d, which was final", height, known)
	}
	best, err := v.group(ctx, height)
	if err != nil {
		return h, err
	}
	h = chains.Head{Height: height, Credit: height, Final: height, Clock: best.blockHeight, Time: best.time, Rule: "credit and final: finalized",
		Marks: []chains.Mark{{Height: height, Hash: best.hash}}}
	if followed >= 0 && followed < height {
		at, err := v.group(ctx, followed)
		if err != nil {
			return h, err
		}
		h.Marks = append(h.Marks, chains.Mark{Height: followed, Hash: at.hash})
	}
	v.nodes.Saw(v.node, height, best.time)
	if err := v.nodes.Agree(ctx, v.node, &h, h.Marks[0], height, followed); err != nil {
		return h, err
	}
	v.keep(min(h.Final, followed))
	return h, v.setClock(ctx, &h)
}

// setClock has the clock of a head stand where two nodes agree.
func (v view) setClock(ctx context.Context, h *chains.Head) error {
	switch {
	case h.Final == h.Height:
		return nil
	case h.Final < 0: // they agree on no block at all
		h.Clock = 0
		return nil
	}
	at, err := v.group(ctx, h.Final)
	if err == nil {
		h.Clock = at.blockHeight
	}
	return err
}

// keep remembers a block both followed and final.
func (c *Connector) keep(height int64) {
	for known := c.followed.Load(); height > known && !c.followed.CompareAndSwap(known, height); {
		known = c.followed.Load()
	}
}

// Hash returns the hash of the block at height now, "" when there is none.
func (c *Connector) Hash(ctx context.Context, height int64) (hash string, err error) {
	if height < 0 {
		return "", c.nodes.Ready(ctx)
	}
	err = c.use(ctx, func(v view) error {
		hashes, err := v.Hashes(ctx, height)
		hash = hashes[height]
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of block %d: %w", height, err)
	}
	return hash, nil
}

// HashBelow returns the hash of a block in the chain of another one, "" when the node has another chain.
func (c *Connector) HashBelow(ctx context.Context, top chains.Mark, height int64) (hash string, err error) {
	if height < 0 || height > top.Height {
		return "", c.nodes.Ready(ctx)
	}
	err = c.use(ctx, func(v view) error {
		hashes, err := v.Hashes(ctx, top.Height, height)
		if hash = ""; hashes[top.Height] == top.Hash {
			hash = hashes[height]
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of block %d below %d: %w", height, top.Height, err)
	}
	return hash, nil
}
