package ripple

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/chains/ripple/client"
)

// rule is what is credited and final, in words.
const rule = "credit: validated, final: validated"

// Head returns the newest validated ledger: each is final at once. A node that has gone behind a ledger that was followed is down.
func (c *Connector) Head(ctx context.Context, followed int64) (chains.Head, error) {
	var head chains.Head
	err := c.node.Use(ctx, func(n node) (err error) {
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
	best, err := n.Client.Header(ctx, "validated")
	if err != nil {
		return chains.Head{}, err
	}
	c.node.Saw(n, best.Index, best.Closed)
	head := chains.Head{Height: best.Index, Credit: best.Index, Final: best.Index, Time: best.Closed, Rule: rule,
		Marks: []chains.Mark{{Height: best.Index, Hash: best.Hash.String()}}}
	if followed >= 0 && followed < best.Index {
		at, err := n.Client.Header(ctx, followed)
		if err != nil {
			return head, fmt.Errorf("ledger %d, which was followed: %w", followed, err)
		}
		head.Marks = append(head.Marks, chains.Mark{Height: followed, Hash: at.Hash.String()})
	}
	known := c.followed.Load()
	if best.Index < known {
		return head, odd("the node went back to ledger %d, behind ledger %d, which was validated", best.Index, known)
	}
	for now := min(best.Index, followed); now > known && !c.followed.CompareAndSwap(known, now); {
		known = c.followed.Load()
	}
	return head, c.node.Agree(ctx, n, &head, head.Marks[0], best.Index, followed)
}

// Hash returns the hash of the ledger at height, "" when there is none.
func (c *Connector) Hash(ctx context.Context, height int64) (hash string, err error) {
	err = c.node.Use(ctx, func(n node) (err error) {
		hash, err = hashAt(ctx, n, height)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of ledger %d: %w", height, err)
	}
	return hash, nil
}

// hashAt is Hash, as one node answers. A node without a ledger below its newest one lacks it.
func hashAt(ctx context.Context, n node, height int64) (string, error) {
	if height < 0 {
		return "", nil
	}
	h, err := n.Client.Header(ctx, height)
	if client.Missing(err) {
		best, failed := n.Client.Header(ctx, "validated")
		if failed != nil {
			return "", failed
		}
		if height > best.Index || height == 0 {
			return "", nil
		}
	}
	if err != nil {
		return "", err
	}
	return h.Hash.String(), nil
}

// HashBelow returns the hash of a ledger in the chain of another one, "" when the node has another chain.
func (c *Connector) HashBelow(ctx context.Context, top chains.Mark, height int64) (hash string, err error) {
	if height < 0 || height > top.Height {
		return "", c.node.Ready(ctx)
	}
	err = c.node.Use(ctx, func(n node) error {
		above, err := hashAt(ctx, n, top.Height)
		if err != nil {
			return err
		}
		if hash = ""; above != top.Hash {
			return nil
		}
		hash, err = hashAt(ctx, n, height)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of ledger %d below %d: %w", height, top.Height, err)
	}
	return hash, nil
}
