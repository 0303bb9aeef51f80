package cardano

import (
	"context"
	"fmt"
	"math"
	"slices"

	"causeway/chains"
	"causeway/chains/cardano/client"
)

// Head returns the best height and how far blocks may be credited and are final, by confirmations, as far as a second node has them. A node
// that has gone behind a block both followed and final is down.
func (c *Connector) Head(ctx context.Context, followed int64) (head chains.Head, err error) {
	err = c.nodes.Use(ctx, func(n node) (err error) {
		head, err = c.headOf(ctx, n, followed)
		return err
	})
	if err != nil {
		return chains.Head{}, fmt.Errorf("head: %w", err)
	}
	return head, nil
}

// headOf is Head, as one node answers.
func (c *Connector) headOf(ctx context.Context, n node, followed int64) (chains.Head, error) {
	head, err := n.Client.head(ctx, followed)
	if err != nil {
		return head, err
	}
	c.nodes.Saw(n, head.Height, head.Time)
	if err := c.nodes.Agree(ctx, n, &head, head.Marks[0], head.Credit, followed); err != nil {
		return head, err
	}
	for final, known := min(head.Final, followed), c.followed.Load(); final > known && !c.followed.CompareAndSwap(known, final); {
		known = c.followed.Load()
	}
	return head, nil
}

// head is Head by this node alone.
func (p *peer) head(ctx context.Context, followed int64) (head chains.Head, err error) {
	err = p.follow(ctx, func(s *client.Session, t *track, tip client.Tip) error {
		if tip.ID == "" || followed < 0 && tip.Height == t.base {
			return unread("the next block is awaited: none below the newest can be read")
		}
		rule := p.of.cfg.Rule
		head = chains.Head{Height: tip.Height, Time: p.clock.at(tip.Slot), Rule: fmt.Sprintf("credit: %d confirmations, final: %d confirmations", rule.Credit, rule.Final),
			Marks: []chains.Mark{{Height: tip.Height, Hash: hashOfPoint(tip.Point)}}}
		head.Credit = max(0, head.Height-int64(rule.Credit)+1)
		head.Final = max(0, head.Height-int64(rule.Final)+1)
		if followed < 0 || followed >= tip.Height {
			return nil
		}
		if err := p.grow(ctx, s, t, tip, followed); err != nil {
			return err
		}
		at, ok := t.at(followed)
		if !ok {
			return forgotten(followed)
		}
		head.Marks = append(head.Marks, chains.Mark{Height: followed, Hash: hashOfPoint(at)})
		return nil
	})
	return head, err
}

// forgotten is the error for a block below those that a process has read.
func forgotten(height int64) error {
	return unread(fmt.Sprintf("block %d is below those that this process has read", height))
}

// Hash returns the hash of the block at height now, with its slot; "" when there is none, and of blocks below those of the books.
func (c *Connector) Hash(ctx context.Context, height int64) (hash string, err error) {
	err = c.nodes.Use(ctx, func(n node) error {
		hashes, err := n.Client.Hashes(ctx, height)
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
	err = c.nodes.Use(ctx, func(n node) (err error) {
		hash, err = n.Client.hashBelow(ctx, top, height)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of block %d below %d: %w", height, top.Height, err)
	}
	return hash, nil
}

// hashBelow is HashBelow, as one node answers.
func (p *peer) hashBelow(ctx context.Context, top chains.Mark, height int64) (hash string, err error) {
	err = p.follow(ctx, func(s *client.Session, t *track, tip client.Tip) error {
		if height < 0 || height > top.Height || top.Height > tip.Height {
			return nil
		}
		if err := p.grow(ctx, s, t, tip, top.Height); err != nil {
			return err
		}
		above, ok := t.at(top.Height)
		if !ok {
			return forgotten(top.Height)
		}
		if hashOfPoint(above) != top.Hash {
			return nil
		}
		at, ok := t.at(height)
		if !ok {
			return forgotten(height)
		}
		hash = hashOfPoint(at)
		return nil
	})
	return hash, err
}

// Blocks returns the blocks from a height on, with transfers to everybody and the coins that anybody spends.
func (c *Connector) Blocks(ctx context.Context, from int64, limit int) (out []chains.Block, err error) {
	err = c.nodes.Use(ctx, func(n node) (err error) {
		out, err = n.Client.blocks(ctx, from, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("blocks from %d: %w", from, err)
	}
	return out, nil
}

// blocks is Blocks, as one node answers.
func (p *peer) blocks(ctx context.Context, from int64, limit int) (out []chains.Block, err error) {
	err = p.follow(ctx, func(s *client.Session, t *track, tip client.Tip) error {
		to := min(tip.Height, from+int64(limit)-1, from+mostRead-1)
		if from > to {
			return nil
		}
		if err := p.grow(ctx, s, t, tip, to); err != nil {
			return err
		}
		if _, ok := t.at(from - 1); !ok {
			return forgotten(from - 1)
		}
		if missing := t.missing(from, to); missing < math.MaxInt64 {
			if err := p.read(ctx, s, t, missing-1, to-missing+1, t.keep); err != nil {
				return err
			}
		}
		for h := from; h <= to; h++ {
			b := t.parsed[h]
			if at, _ := t.at(h); b == nil || b.point != at {
				return unread("the chain has changed while it was read")
			}
			again := b.block // its reader notes whose the transfers are
			again.Transfers, again.Spent = slices.Clone(again.Transfers), slices.Clone(again.Spent)
			out = append(out, again)
		}
		return nil
	})
	return out, err
}

// missing returns the first of some blocks without its contents.
func (t *track) missing(from, to int64) int64 {
	for h := from; h <= to; h++ {
		if t.parsed[h] == nil {
			return h
		}
	}
	return math.MaxInt64
}
