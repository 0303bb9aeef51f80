package monero

import (
	"context"
	"fmt"
	"time"

	"causeway/chains"
	"causeway/chains/monero/client"
)

// rereads is how often an answer is asked for again because the chain has changed meanwhile.
const rereads = 5

// errForked says that the chain has changed between two answers.
var errForked = odd("the chain changes faster than it can be read")

// Head returns the best height and how far blocks may be credited and are final, by confirmations, as far as a second node has them. A
// node that is syncing, or has gone behind a block both followed and final, is down.
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

// headOf is Head, as one node answers. The best block is read before and after the one followed.
func (c *Connector) headOf(ctx context.Context, n node, followed int64) (head chains.Head, err error) {
	var info client.Info
	if err := n.Client.Call(ctx, &info, "get_info", nil); err != nil {
		return head, err
	}
	if info.Busy || info.Target > info.Height+1 {
		return head, odd("the node is still syncing: it has %d blocks of %d", info.Height, info.Target)
	}
	for range rereads {
		best, err := n.Client.Newest(ctx)
		if err != nil {
			return head, err
		}
		head = c.judge(best)
		if followed >= 0 && followed < best.Height {
			at, err := n.Client.At(ctx, followed)
			if err != nil {
				return head, err
			}
			head.Marks = append(head.Marks, chains.Mark{Height: followed, Hash: at.Hash})
		}
		after, err := n.Client.Newest(ctx)
		if err != nil {
			return head, err
		}
		if after.Hash != best.Hash {
			continue
		}
		return head, c.accept(ctx, n, &head, followed)
	}
	return head, errForked
}

// judge applies the rule.
func (c *Connector) judge(best client.Header) chains.Head {
	return chains.Head{Height: best.Height, Time: time.Unix(best.Time, 0).UTC(),
		Credit: max(0, best.Height-int64(c.cfg.Rule.Credit)+1), Final: max(0, best.Height-int64(c.cfg.Rule.Final)+1),
		Rule:  fmt.Sprintf("credit: %d confirmations, final: %d confirmations", c.cfg.Rule.Credit, c.cfg.Rule.Final),
		Marks: []chains.Mark{{Height: best.Height, Hash: best.Hash}}}
}

// accept compares a head with what was final, and with a second node.
func (c *Connector) accept(ctx context.Context, n node, head *chains.Head, followed int64) error {
	known := c.followed.Load()
	if head.Height < known {
		return odd("the node went back to block %d, behind block %d, which was final", head.Height, known)
	}
	c.node.Saw(n, head.Height, head.Time)
	if err := c.node.Agree(ctx, n, head, head.Marks[0], c.cfg.depths().Creditable(*head), followed); err != nil {
		return err
	}
	for now := min(head.Final, followed); now > known && !c.followed.CompareAndSwap(known, now); {
		known = c.followed.Load()
	}
	return nil
}

// Hash returns the hash of the block at height now, "" when there is none.
func (c *Connector) Hash(ctx context.Context, height int64) (hash string, err error) {
	if height < 0 {
		return "", c.node.Ready(ctx)
	}
	err = c.node.Use(ctx, func(n node) error {
		all, err := n.Client.Hashes(ctx, height)
		hash = all[height]
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of block %d: %w", height, err)
	}
	return hash, nil
}

// HashBelow returns the hash of a block in the chain of another one, "" when the node has another chain. The node is asked for top before
// and after.
func (c *Connector) HashBelow(ctx context.Context, top chains.Mark, height int64) (hash string, err error) {
	if height < 0 || height > top.Height {
		return "", c.node.Ready(ctx)
	}
	err = c.node.Use(ctx, func(n node) (err error) {
		hash, err = hashBelow(ctx, n, top, height)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of block %d below %d: %w", height, top.Height, err)
	}
	return hash, nil
}

// hashBelow is HashBelow, as one node answers.
func hashBelow(ctx context.Context, n node, top chains.Mark, height int64) (string, error) {
	all := map[int64]string{}
	for _, at := range []int64{top.Height, height, top.Height} {
		some, err := n.Client.Hashes(ctx, at)
		if err != nil {
			return "", err
		}
		if at == top.Height && some[at] != top.Hash {
			return "", nil
		}
		all[at] = some[at]
	}
	return all[height], nil
}
