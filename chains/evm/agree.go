package evm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"causeway/chains"
	"causeway/chains/evm/client"
)

const (
	agreesFor  = 10 * time.Second // a comparison is repeated after so long, even if no block came
	agreesIn   = 4 * time.Second  // for one request to another node
	looksAfter = 2 * time.Second  // a head for a mere look at the network goes by a comparison as old as this
)

// agreement is the last comparison of two nodes.
type agreement struct {
	sync.Mutex
	best    chains.Mark // of the node in use
	top     int64       // the highest block by which anything could be credited
	at      time.Time
	height  int64  // the highest block that both have; -1 for none
	alone   bool   // no second node answers
	dispute string // the blocks by which nodes contradict each other, in words; it holds until two nodes agree
}

// agree lowers a head to the blocks that a second node has too. A second node that is away or behind lowers nothing: the head goes
// by one node, and says so. If nodes contradict each other, nothing above their last common block is credited or final, even while
// one of them is away, until two agree.
func (c *Connector) agree(ctx context.Context, node *client.Client, head *chains.Head, best chains.Mark, followed int64) error {
	if c.node.Size() < 2 {
		return nil
	}
	a := &c.agreement
	top := c.creditable(head)
	a.Lock()
	age := time.Since(a.at)
	known := a.best == best && a.top == top && age < agreesFor || followed < 0 && age < looksAfter
	a.Unlock()
	if !known {
		if err := c.compare(ctx, node, head, best, top); err != nil {
			return err
		}
	}
	a.Lock()
	defer a.Unlock()
	if a.alone {
		head.Rule += "; no second node answers"
	}
	if a.alone && a.dispute == "" {
		return nil
	}
	agreed := min(a.height, top)
	head.Agreed, head.Dispute = &agreed, a.dispute
	head.Credit, head.Final = min(head.Credit, agreed), min(head.Final, agreed)
	head.Safe, head.Finalized = min(head.Safe, agreed), min(head.Finalized, agreed)
	return nil
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

// comparison is the course of a comparison with the other nodes.
type comparison struct {
	seconds  int                       // nodes that were compared
	height   int64                     // the highest block that one of them has too
	unsure   bool                      // a chain changed meanwhile: the next head compares again
	contrary map[*client.Client]string // nodes with other blocks at heights that count, in words
}

// compare asks the other nodes, in their order, until one has the block at top that the node in use has.
func (c *Connector) compare(ctx context.Context, node *client.Client, head *chains.Head, best chains.Mark, top int64) error {
	ours, err := c.ours(ctx, node, head, best, top)
	if errors.Is(err, errForked) {
		return nil // what was agreed before holds until the next head
	}
	if err != nil {
		return err
	}
	found := comparison{height: -1, contrary: map[*client.Client]string{}}
	c.node.Within(min(c.cfg.Timeout, agreesIn)).Others(ctx, node, func(other *client.Client) (bool, error) {
		enough, err := c.compareTo(ctx, node, other, head, ours, top, &found)
		if errors.Is(err, errForked) {
			found.unsure, err = true, nil
		}
		return enough, err
	})
	if ctx.Err() != nil {
		return fmt.Errorf("%w: the second node: %w", chains.ErrDown, ctx.Err())
	}
	c.node.Saw(node, head.Height, head.Time)
	if found.seconds > 0 || !found.unsure {
		c.compared(best, top, &found, c.judgeNodes(node, head, &found))
	}
	return nil
}

// compareTo compares the node in use with another. It reports whether they agree on all that may be credited.
func (c *Connector) compareTo(ctx context.Context, node, other *client.Client, head *chains.Head, ours view, top int64, found *comparison) (bool, error) {
	t, err := c.theirs(ctx, other, top, head.Final)
	if err != nil {
		return false, err
	}
	behind := c.node.Saw(other, t.best.Height, t.time)
	if behind { // its newest blocks were perhaps replaced since; as deep as a final one none was
		top = min(top, t.best.Height-(head.Height-head.Final))
	}
	agreed, contrary, err := c.shared(ctx, node, other, ours, t, top)
	if err != nil || behind && contrary == "" {
		return false, err
	}
	found.seconds++
	found.height = max(found.height, agreed)
	if contrary != "" && agreed < head.Credit {
		found.contrary[other] = contrary
	}
	if final := ours.hashes[head.Final]; agreed >= head.Final && final != "" {
		c.node.Agreed(chains.Mark{Height: head.Final, Hash: final})
	}
	return agreed == top, nil
}

// judgeNodes returns the dispute to tell the operator, and leaves nodes alone that two others contradict.
func (c *Connector) judgeNodes(node *client.Client, head *chains.Head, found *comparison) (dispute string) {
	for other, contrary := range found.contrary {
		dispute = fmt.Sprintf("nodes disagree: %s; nothing above block %d is credited or final", contrary, found.height)
		if found.height >= head.Credit {
			c.node.Leave(other, fmt.Errorf("%w: %s", client.ErrContrary, contrary))
		}
	}
	if found.height >= head.Credit {
		return ""
	}
	if len(found.contrary) > 1 {
		c.node.Leave(node, fmt.Errorf("%w: %s", client.ErrContrary, dispute))
	}
	return dispute
}

// compared remembers a comparison. Without a second node an earlier dispute still holds.
func (c *Connector) compared(best chains.Mark, top int64, found *comparison, dispute string) {
	a := &c.agreement
	a.Lock()
	defer a.Unlock()
	a.best, a.top, a.at = best, top, time.Now()
	alone := found.seconds == 0
	if alone && !a.alone {
		c.log.Warn("no second node answers: the network is read by one node alone")
	} else if !alone && a.alone {
		c.log.Info("a second node answers")
	}
	a.alone = alone
	if !alone {
		a.height, a.dispute = found.height, dispute
	}
}
