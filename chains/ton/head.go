package ton

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/chains/ton/client"
)

// rule is what is credited and final, in words.
const rule = "credit: block of the masterchain, final: block of the masterchain"

// Head returns the newest block of the masterchain: each is final at once. A node that has gone behind a block that was followed is down.
func (c *Connector) Head(ctx context.Context, followed int64) (head chains.Head, err error) {
	err = c.node.Use(ctx, func(n node) (err error) {
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
	tip, err := tipOf(ctx, n)
	if err != nil {
		return chains.Head{}, err
	}
	c.node.Saw(n, tip.Seqno, tip.Time)
	head := chains.Head{Height: tip.Seqno, Credit: tip.Seqno, Final: tip.Seqno, Time: tip.Time, Rule: rule, Marks: []chains.Mark{{Height: tip.Seqno, Hash: tip.Hash}}}
	if followed >= 1 && followed < tip.Seqno {
		at, err := n.Client.Header(ctx, followed)
		if err != nil {
			return head, fmt.Errorf("block %d, which was followed: %w", followed, err)
		}
		head.Marks = append(head.Marks, chains.Mark{Height: followed, Hash: at.Hash})
	}
	known := c.followed.Load()
	if tip.Seqno < known {
		return head, odd("the node went back to block %d, behind block %d, which was final", tip.Seqno, known)
	}
	for now := min(tip.Seqno, followed); now > known && !c.followed.CompareAndSwap(known, now); {
		known = c.followed.Load()
	}
	return head, c.node.Agree(ctx, n, &head, head.Marks[0], tip.Seqno, followed)
}

// tipOf returns the newest block of a node.
func tipOf(ctx context.Context, n node) (client.Header, error) {
	tip, _, err := n.Client.Tip(ctx)
	if err != nil {
		return client.Header{}, err
	}
	h, err := n.Client.Header(ctx, tip.Height)
	if err == nil && h.Hash != tip.Hash {
		err = odd("the newest block, %d, has two hashes", tip.Height)
	}
	return h, err
}

// Hash returns the hash of the block at a height, "" when there is none.
func (c *Connector) Hash(ctx context.Context, height int64) (hash string, err error) {
	if height < 1 {
		return "", c.node.Ready(ctx)
	}
	err = c.node.Use(ctx, func(n node) (err error) {
		hash, err = hashAt(ctx, n, height)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of block %d: %w", height, err)
	}
	return hash, nil
}

func hashAt(ctx context.Context, n node, height int64) (string, error) {
	tip, _, err := n.Client.Tip(ctx)
	if err != nil || height > tip.Height || height < 1 {
		return "", err
	}
	h, err := n.Client.Header(ctx, height)
	return h.Hash, err
}

// HashBelow returns the hash of a block in the chain of another one, "" when the node has another chain.
func (c *Connector) HashBelow(ctx context.Context, top chains.Mark, height int64) (hash string, err error) {
	if height < 1 || height > top.Height {
		return "", c.node.Ready(ctx)
	}
	err = c.node.Use(ctx, func(n node) error {
		hash = ""
		above, err := hashAt(ctx, n, top.Height)
		if err != nil || above != top.Hash {
			return err
		}
		hash, err = hashAt(ctx, n, height)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of block %d below %d: %w", height, top.Height, err)
	}
	return hash, nil
}
