package evm

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// Head returns the best height and how far blocks may be credited and are final. A tag once served by the node stays the rule:
// while it is missing again, the node is down. A node behind a block both followed and final is down too. A block only called
// final by the node is not remembered: one misrouted answer would take the network down until a restart.
func (c *Connector) Head(ctx context.Context, followed int64) (chains.Head, error) {
	var head chains.Head
	err := c.node.Use(ctx, func(node client.Node) (err error) {
		head, err = c.headOf(ctx, node, followed)
		return err
	})
	if err != nil {
		return chains.Head{}, fmt.Errorf("head: %w", err)
	}
	return head, nil
}

// headOf is Head, as one node answers.
func (c *Connector) headOf(ctx context.Context, node client.Node, followed int64) (chains.Head, error) {
	var latest, at *client.Header
	tags := map[string]*tagged{}
	questions := []*client.Question{client.Ask(&latest, "eth_getBlockByNumber", "latest", false)}
	if followed >= 0 {
		questions = append(questions, client.Ask(&at, "eth_getBlockByNumber", hexutil.Uint64(followed), false))
	}
	for _, d := range c.cfg.depths() {
		if d.Tag != "" && tags[d.Tag] == nil {
			t := &tagged{}
			t.question = client.Ask(&t.header, "eth_getBlockByNumber", d.Tag, false)
			tags[d.Tag] = t
			questions = append(questions, t.question)
		}
	}
	if err := node.Client.Each(ctx, questions...); err != nil {
		return chains.Head{}, err
	}
	if err := questions[0].Err; err != nil {
		return chains.Head{}, err
	}
	height, ok := heightOf(latest)
	if !ok {
		return chains.Head{}, odd("a latest block without its fields")
	}
	if at != nil && !at.Complete(followed) {
		return chains.Head{}, odd("block %d without its fields", followed)
	}
	c.node.Saw(node, height, timeOf(latest))
	head, err := c.judge(height, tags)
	if err != nil {
		return head, err
	}
	head.Time, head.Marks = timeOf(latest), marks(latest, at, tags)
	best := chains.Mark{Height: height, Hash: latest.Hash.Hex()}
	if err := c.node.Agree(ctx, node, &head, best, c.creditable(&head), followed); err != nil {
		return head, err
	}
	c.finality.keep(min(head.Final, followed))
	return head, nil
}

// keep remembers a block both followed and final.
func (f *finality) keep(height int64) {
	f.Lock()
	defer f.Unlock()
	f.final = max(f.final, height)
}

// marks are the blocks read with a head.
func marks(latest, at *client.Header, tags map[string]*tagged) []chains.Mark {
	named := []*client.Header{latest, at}
	for _, t := range tags {
		named = append(named, t.header)
	}
	var out []chains.Mark
	for _, h := range named {
		if height, ok := heightOf(h); ok {
			out = append(out, chains.Mark{Height: height, Hash: h.Hash.Hex()})
		}
	}
	return out
}

// tagged is the answer to a block tag.
type tagged struct {
	header   *client.Header
	question *client.Question
}

func heightOf(h *client.Header) (int64, bool) {
	height, _, ok := h.Best()
	return height, ok
}

// timeOf returns the time of a complete header.
func timeOf(h *client.Header) time.Time {
	return time.Unix(int64(*h.Timestamp), 0).UTC()
}

func (c *Connector) judge(height int64, tags map[string]*tagged) (chains.Head, error) {
	c.finality.Lock()
	defer c.finality.Unlock()
	credit, err := c.depth(c.cfg.Rule.Credit, height, tags)
	if err != nil {
		return chains.Head{}, err
	}
	final, err := c.depth(c.cfg.Rule.Final, height, tags)
	if err != nil {
		return chains.Head{}, err
	}
	final = min(final, credit)
	if height < c.finality.final {
		return chains.Head{}, odd("the node went back to block %d, behind block %d, which was final", height, c.finality.final)
	}
	c.show()
	return chains.Head{Height: height, Credit: credit, Final: final, Safe: early("safe", height, tags),
		Finalized: early("finalized", height, tags), Rule: c.finality.shown}, nil
}

// depth returns the highest block deep enough; the first block of a chain always is.
func (c *Connector) depth(d Depth, height int64, tags map[string]*tagged) (int64, error) {
	counted := max(height-int64(d.Confirmations)+1, 0)
	if d.Tag == "" {
		return counted, nil
	}
	t := tags[d.Tag]
	if at, ok := heightOf(t.header); t.question.Err == nil && ok {
		c.finality.served[d.Tag] = true
		return min(at, height), nil
	}
	if err := t.question.Err; err != nil && !client.IsClass(err, client.NoBlock) && !client.IsClass(err, client.Unsupported) {
		return 0, err
	}
	if c.finality.served[d.Tag] {
		return 0, odd("the node no longer serves the %s block", d.Tag)
	}
	return counted, nil
}

// show logs the rule in force whenever it changes.
func (c *Connector) show() {
	if rule := c.inForce(); rule != c.finality.shown {
		c.finality.shown = rule
		c.log.WithField("rule", rule).Info("rule in force")
	}
}

func (c *Connector) inForce() string {
	word := func(d Depth) string {
		if d.Tag != "" && !c.finality.served[d.Tag] {
			return fmt.Sprintf("%d confirmations (the node serves no %s block)", d.Confirmations, d.Tag)
		}
		return d.String()
	}
	return "credit: " + word(c.cfg.Rule.Credit) + ", final: " + word(c.cfg.Rule.Final)
}

// HashBelow returns the hash of a block in the chain of another one, in one request (unless the node takes one question in
// each); "" when the node has another chain.
func (c *Connector) HashBelow(ctx context.Context, top chains.Mark, height int64) (hash string, err error) {
	if height < 0 || height > top.Height {
		return "", c.ready(ctx)
	}
	err = c.node.Use(ctx, func(node client.Node) error {
		hash, err = hashBelow(ctx, node.Client, top, height)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of block %d below %d: %w", height, top.Height, err)
	}
	return hash, nil
}

// hashBelow is HashBelow, as one node answers.
func hashBelow(ctx context.Context, node *client.Client, top chains.Mark, height int64) (string, error) {
	var highest, wanted *client.Header
	err := node.Batch(ctx, client.Ask(&highest, "eth_getBlockByNumber", hexutil.Uint64(top.Height), false),
		client.Ask(&wanted, "eth_getBlockByNumber", hexutil.Uint64(height), false))
	switch {
	case err != nil:
		return "", err
	case highest == nil || wanted == nil:
		return "", nil
	case !highest.Complete(top.Height) || !wanted.Complete(height):
		return "", odd("blocks %d and %d without their fields", height, top.Height)
	case highest.Hash.Hex() != top.Hash:
		return "", nil
	}
	return wanted.Hash.Hex(), nil
}

// Hash returns the hash of the block at height now, "" when there is none.
func (c *Connector) Hash(ctx context.Context, height int64) (hash string, err error) {
	if height < 0 {
		return "", c.ready(ctx)
	}
	err = c.node.Use(ctx, func(node client.Node) error {
		var h *client.Header
		err := node.Client.Call(ctx, &h, "eth_getBlockByNumber", hexutil.Uint64(height), false)
		switch hash = ""; {
		case err != nil || h == nil:
			return err
		case !h.Complete(height):
			return odd("block %d without its fields", height)
		}
		hash = h.Hash.Hex()
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("hash of block %d: %w", height, err)
	}
	return hash, nil
}

// creditable returns the highest block by which the rule, or the rule of amounts, credits anything.
func (c *Connector) creditable(head *chains.Head) int64 {
	top := max(head.Credit, head.Safe, head.Finalized)
	for _, d := range c.cfg.depths()[2:] {
		if d.Tag == "" {
			top = max(top, head.Height-int64(d.Confirmations)+1)
		}
	}
	return top
}
