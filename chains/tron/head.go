package tron

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/tron/client"
)

// rereads is how often an answer is asked for again because the chain has changed meanwhile.
const rereads = 5

// errForked says that the chain has changed between two answers.
var errForked = odd("the chain changes faster than it can be read")

func blockQuestion(block string) client.HeaderQuestion { return client.HeaderQuestion{Block: block} }

// The two sides of a node.
const (
	whole = "wallet"         // all blocks
	solid = "walletsolidity" // the solid ones
)

// header reads a header on a side of the node: of the newest block, or of the one at a height. Nil says that there is none. Its id is
// computed, so the time in it is that of the block with this id: the clock by which transactions die.
func (v view) header(ctx context.Context, of, block string) (*client.Header, error) {
	var h client.Header
	if err := v.ask(ctx, &h, of+"/getblock", blockQuestion(block)); err != nil {
		return nil, err
	}
	if h.ID == "" {
		return nil, nil
	}
	raw := h.Header.Raw
	height := strconv.FormatInt(raw.Number, 10)
	if !h.Complete() || block != "" && block != height {
		return nil, odd("block %q without its fields", block)
	}
	if id, ok := idOf(&raw); !ok || id != h.ID {
		return nil, odd("the header of block %d is not that of %.64s", raw.Number, nodes.Words(h.ID))
	}
	return &h, nil
}

// at reads the header of the block at a height.
func (v view) at(ctx context.Context, height int64) (*client.Header, error) {
	return v.header(ctx, whole, heightText(height))
}

// newest reads the header of the newest block of a side.
func (v view) newest(ctx context.Context, of string) (*client.Header, error) {
	h, err := v.header(ctx, of, "")
	if err == nil && h == nil {
		err = odd("the node tells no newest block")
	}
	return h, err
}

// Head returns the best height, and how far blocks may be credited and are final: by the node's solid view, which is also the clock, and as
// far as a second node has them. A node that has gone behind a block both followed and final is down.
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
func (v view) head(ctx context.Context, followed int64) (head chains.Head, err error) {
	for range rereads {
		best, at, final, err := v.standing(ctx, followed)
		if err != nil {
			return head, err
		}
		if best == nil { // the chain has changed, or another node stands behind the same address
			continue
		}
		if head, err = v.judge(best, at, final, followed); err != nil {
			return head, err
		}
		if err := v.nodes.Agree(ctx, v.node, &head, head.Marks[0], v.creditable(&head), followed); err != nil {
			return head, err
		}
		v.keep(min(head.Final, followed))
		if head.Final < final.Header.Raw.Number {
			err = v.setClock(ctx, &head)
		}
		return head, err
	}
	return head, errForked
}

// standing asks for the newest block, the followed one, and the newest solid one. The first is nil if they do not fit together.
func (v view) standing(ctx context.Context, followed int64) (best, at, final *client.Header, err error) {
	if best, err = v.newest(ctx, whole); err != nil {
		return nil, nil, nil, err
	}
	if followed >= 0 && followed <= best.Header.Raw.Number {
		if at, err = v.at(ctx, followed); err != nil {
			return nil, nil, nil, err
		}
	}
	if final, err = v.newest(ctx, solid); err != nil {
		return nil, nil, nil, err
	}
	again, err := v.newest(ctx, whole)
	if err == nil && (again.ID != best.ID || final.Header.Raw.Number > best.Header.Raw.Number) {
		best = nil
	}
	return best, at, final, err
}

// creditable returns the highest block by which the rule, or the rule of amounts, credits anything.
func (c *Connector) creditable(head *chains.Head) int64 {
	top := head.Credit
	for _, rows := range append(slices.Collect(maps.Values(c.cfg.CreditByAmountOf)), c.cfg.CreditByAmount) {
		for _, row := range rows {
			top = max(top, head.Height-int64(row.Credit)+1)
		}
	}
	return top
}

// keep remembers a block both followed and final.
func (c *Connector) keep(height int64) {
	for known := c.followed.Load(); height > known && !c.followed.CompareAndSwap(known, height); {
		known = c.followed.Load()
	}
}

// judge applies the rule.
func (v view) judge(best, at, final *client.Header, followed int64) (chains.Head, error) {
	height, top := best.Header.Raw.Number, final.Header.Raw.Number
	switch {
	case at == nil && followed >= 0 && followed <= height:
		return chains.Head{}, odd("no block %d below the best one", followed)
	case top == height && final.ID != best.ID, at != nil && top == followed && final.ID != at.ID:
		return chains.Head{}, odd("the solid block %d is another one", top)
	}
	h := chains.Head{Height: height, Clock: final.Header.Raw.Timestamp, Time: timeOf(best), Rule: v.ruleInWords(),
		Marks: []chains.Mark{{Height: height, Hash: best.ID}}}
	if at != nil && followed != height {
		h.Marks = append(h.Marks, chains.Mark{Height: followed, Hash: at.ID})
	}
	if top != height && top != followed { // the block of the clock is of the followed chain, too
		h.Marks = append(h.Marks, chains.Mark{Height: top, Hash: final.ID})
	}
	h.Final = deep(v.cfg.Rule.Final, height, top)
	if v.cfg.Rule.Final != Solid {
		h.Final = min(h.Final, top)
	}
	h.Credit = max(h.Final, deep(v.cfg.Rule.Credit, height, top))
	if known := v.followed.Load(); height < known {
		return chains.Head{}, odd("the node went back to block %d, behind block %d, which was final", height, known)
	}
	v.nodes.Saw(v.node, height, h.Time)
	return h, nil
}

// setClock sets the clock of a head to the time of its final block, which is one of its marks then.
func (v view) setClock(ctx context.Context, head *chains.Head) error {
	head.Clock = 0
	if head.Final < 0 { // nodes agree on no block at all
		return nil
	}
	h, err := v.at(ctx, head.Final)
	if err == nil && h == nil {
		err = odd("no block %d below the solid one", head.Final)
	}
	if err != nil {
		return err
	}
	head.Clock = h.Header.Raw.Timestamp
	if !slices.ContainsFunc(head.Marks, func(m chains.Mark) bool { return m.Height == head.Final && m.Hash == h.ID }) {
		head.Marks = append(head.Marks, chains.Mark{Height: head.Final, Hash: h.ID})
	}
	return nil
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
func (c *Connector) Hash(ctx context.Context, height int64) (hash string, err error) {
	if height < 0 {
		return "", c.nodes.Ready(ctx)
	}
	err = c.use(ctx, func(v view) (err error) {
		hash, err = v.hashAt(ctx, height)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of block %d: %w", height, err)
	}
	return hash, nil
}

// hashAt is Hash, as one node answers.
func (v view) hashAt(ctx context.Context, height int64) (string, error) {
	h, err := v.at(ctx, height)
	if err != nil || h == nil {
		return "", err
	}
	return h.ID, nil
}

// HashBelow returns the hash of a block in the chain of another one, "" when the node has another chain. The node is asked for top before
// and after.
func (c *Connector) HashBelow(ctx context.Context, top chains.Mark, height int64) (hash string, err error) {
	if height < 0 || height > top.Height {
		return "", c.nodes.Ready(ctx)
	}
	err = c.use(ctx, func(v view) (err error) {
		hash, err = v.hashBelow(ctx, top, height)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of block %d below %d: %w", height, top.Height, err)
	}
	return hash, nil
}

// hashBelow is HashBelow, as one node answers.
func (v view) hashBelow(ctx context.Context, top chains.Mark, height int64) (string, error) {
	var hashes [3]string
	for i, at := range []int64{top.Height, height, top.Height} {
		var err error
		if hashes[i], err = v.hashAt(ctx, at); err != nil {
			return "", err
		}
	}
	if hashes[0] != top.Hash || hashes[2] != top.Hash {
		return "", nil
	}
	return hashes[1], nil
}
