package nodes

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"causeway/chains"
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

// forget forgets what former nodes disagreed about.
func (a *agreement) forget() {
	a.Lock()
	defer a.Unlock()
	a.at, a.height, a.alone, a.dispute = time.Time{}, 0, false, ""
}

// Agree lowers a head to the blocks that a second node has too. Best is the best block of the node in use, and top the highest by which
// anything could be credited. A second node that is away or behind lowers nothing: the head goes by one node, and says so. If nodes
// contradict each other, nothing above their last common block is credited or final, even while one of them is away, until two agree.
func (p *Pool[C]) Agree(ctx context.Context, node Node[C], head *chains.Head, best chains.Mark, top, followed int64) error {
	if p.Size() < 2 {
		return nil
	}
	a := &p.agreement
	a.Lock()
	age := time.Since(a.at)
	known := a.best == best && a.top == top && age < agreesFor || followed < 0 && age < looksAfter
	a.Unlock()
	if !known {
		c := &comparison[C]{pool: p, node: node, head: head, best: best, top: top, height: -1, contrary: map[*place[C]]string{}}
		if err := c.run(ctx); err != nil {
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

// comparison is the course of a comparison with the other nodes.
type comparison[C Client[C]] struct {
	pool *Pool[C]
	node Node[C] // in use
	head *chains.Head
	best chains.Mark
	top  int64

	seconds  int                  // nodes that were compared
	height   int64                // the highest block that one of them has too
	unsure   bool                 // a chain changed meanwhile: the next head compares again
	contrary map[*place[C]]string // nodes with other blocks at heights that count, in words
}

// run asks the other nodes, in their order, until one has the block at top that the node in use has.
func (c *comparison[C]) run(ctx context.Context) error {
	ours, err := c.ours(ctx)
	if errors.Is(err, errMoved) {
		return nil // what was agreed before holds until the next head
	}
	if err != nil {
		return err
	}
	c.pool.Within(min(c.pool.Timeout, agreesIn)).Others(ctx, c.node, func(other Node[C]) (bool, error) {
		enough, err := c.with(ctx, other, ours)
		if errors.Is(err, errMoved) {
			c.unsure, err = true, nil
		}
		return enough, err
	})
	if ctx.Err() != nil {
		return fmt.Errorf("%w: the second node: %w", chains.ErrDown, ctx.Err())
	}
	c.pool.Saw(c.node, c.head.Height, c.head.Time)
	if c.seconds > 0 || !c.unsure {
		c.done(c.judge())
	}
	return nil
}

// with compares the node in use with another. It reports whether they agree on all that may be credited.
func (c *comparison[C]) with(ctx context.Context, other Node[C], ours View) (bool, error) {
	t, err := c.theirs(ctx, other, c.top, c.head.Final)
	if err != nil {
		return false, err
	}
	top, behind := c.top, c.pool.Saw(other, t.Best.Height, t.Time)
	if behind { // its newest blocks were perhaps replaced since; as deep as a final one none was
		top = min(top, t.Best.Height-(c.head.Height-c.head.Final))
	}
	agreed, contrary, err := c.shared(ctx, other, ours, t, top)
	if err != nil || behind && contrary == "" {
		return false, err
	}
	c.seconds++
	c.height = max(c.height, agreed)
	if contrary != "" && agreed < c.head.Credit {
		c.contrary[other.place] = contrary
	}
	if final := ours.Hashes[c.head.Final]; agreed >= c.head.Final && final != "" {
		c.pool.agreedOn(chains.Mark{Height: c.head.Final, Hash: final})
	}
	return agreed == top, nil
}

// judge returns the dispute to tell the operator, and leaves nodes alone that two others contradict.
func (c *comparison[C]) judge() (dispute string) {
	for other, contrary := range c.contrary {
		dispute = fmt.Sprintf("nodes disagree: %s; nothing above block %d is credited or final", contrary, c.height)
		if c.height >= c.head.Credit {
			c.pool.leave(other, fmt.Errorf("%w: %s", ErrContrary, contrary))
		}
	}
	if c.height >= c.head.Credit {
		return ""
	}
	if len(c.contrary) > 1 {
		c.pool.Leave(c.node, fmt.Errorf("%w: %s", ErrContrary, dispute))
	}
	return dispute
}

// done remembers a comparison. Without a second node an earlier dispute still holds.
func (c *comparison[C]) done(dispute string) {
	a := &c.pool.agreement
	a.Lock()
	defer a.Unlock()
	a.best, a.top, a.at = c.best, c.top, time.Now()
	alone := c.seconds == 0
	if alone && !a.alone {
		c.pool.Log.Warn("no second node answers: the network is read by one node alone")
	} else if !alone && a.alone {
		c.pool.Log.Info("a second node answers")
	}
	a.alone = alone
	if !alone {
		a.height, a.dispute = c.height, dispute
	}
}
