package evm

import (
	"context"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains/evm/client"
)

// timesLate is how often the traces of one block alone must be late before its transactions are asked for one by one.
const timesLate = 2

// late is the block whose traces do not come in time, and what is known of those of its transactions. It is one, since a follower
// stays at a block until it is read.
type late struct {
	sync.Mutex
	block  common.Hash
	times  int
	tries  map[common.Hash]int  // how often a transaction's own trace did not come in time
	given  map[common.Hash]bool // the transactions whose traces are given up
	inTime *common.Hash         // one whose own trace comes in time: if it no longer does, the fault is the node's
}

// add notes that the traces of a block came too late.
func (l *late) add(block common.Hash) {
	l.Lock()
	defer l.Unlock()
	l.at(block)
	l.times++
}

// often reports whether that has happened timesLate times.
func (l *late) often(block common.Hash) bool {
	l.Lock()
	defer l.Unlock()
	return l.block == block && l.times >= timesLate
}

// at forgets another block.
func (l *late) at(block common.Hash) {
	if l.block != block {
		l.block, l.times, l.inTime = block, 0, nil
		l.tries, l.given = map[common.Hash]int{}, map[common.Hash]bool{}
	}
}

// txTrace is the trace of one transaction.
type txTrace struct {
	tx       common.Hash
	frame    *client.Frame
	question *client.Question
}

func newTxTrace(tx common.Hash) *txTrace {
	t := &txTrace{tx: tx}
	t.question = askTrace(&t.frame, "debug_traceTransaction", tx)
	return t
}

func (t *txTrace) late() bool { return client.IsClass(t.question.Err, client.Late) }

// eachTrace asks for the traces of a block one by one, since together they are too large or too slow. Anybody can send a transaction
// whose own trace is: it counts as one without calls, so that it does not keep the others from being seen. An operator is told of
// it. If no trace at all comes in time, the fault is the node's and no transaction's.
func (c *Connector) eachTrace(ctx context.Context, b *client.Block) ([]client.Trace, error) {
	c.late.Lock()
	defer c.late.Unlock()
	c.late.at(*b.Hash)
	all := make([]*txTrace, len(b.Transactions))
	var asked []*txTrace
	for i, tx := range b.Transactions {
		all[i] = newTxTrace(*tx.Hash)
		if !c.late.given[all[i].tx] {
			asked = append(asked, all[i])
		}
	}
	if err := c.askTraces(ctx, uint64(*b.Number), asked); err != nil {
		return nil, err
	}
	traces := make([]client.Trace, len(all))
	for i, t := range all {
		switch {
		case c.late.given[t.tx], client.IsClass(t.question.Err, client.Limit):
			t.frame = &client.Frame{}
			c.untraced(b, t.tx)
		case t.late(): // and so are all others
			return nil, errNoTrace(uint64(*b.Number))
		case t.question.Err != nil:
			return nil, t.question.Err
		}
		traces[i].Result = t.frame
	}
	return traces, c.stillThere(ctx, b)
}

// askTraces asks for traces together, and then alone for each that is late. A step may end before all are asked for, so those that
// were late before come last, the least often late first.
func (c *Connector) askTraces(ctx context.Context, height uint64, asked []*txTrace) error {
	node := c.node.Within(c.cfg.Timeout / 2)
	fresh := slices.DeleteFunc(slices.Clone(asked), func(t *txTrace) bool { return c.late.tries[t.tx] > 0 })
	for part := range slices.Chunk(fresh, c.cfg.Batch) {
		if err := c.ask(ctx, node, part...); err != nil {
			return err
		}
		for _, t := range part {
			if t.late() {
				if err := c.askAlone(ctx, node, height, t); err != nil {
					return err
				}
			}
		}
	}
	before := slices.DeleteFunc(asked, func(t *txTrace) bool { return c.late.tries[t.tx] == 0 || c.late.given[t.tx] })
	slices.SortStableFunc(before, func(a, b *txTrace) int { return c.late.tries[a.tx] - c.late.tries[b.tx] })
	for _, t := range before {
		if err := c.askAlone(ctx, node, height, t); err != nil {
			return err
		}
	}
	return nil
}

// askAlone asks for a trace by itself. It is given up when it is late timesLate times and each time another's comes in time right after.
func (c *Connector) askAlone(ctx context.Context, node *client.Client, height uint64, t *txTrace) error {
	for range timesLate {
		if err := c.ask(ctx, node, t); err != nil || !t.late() {
			return err
		}
		c.late.tries[t.tx]++
		if c.late.inTime == nil {
			return nil
		}
		other := newTxTrace(*c.late.inTime)
		if err := c.ask(ctx, node, other); err != nil {
			return err
		}
		if other.late() {
			c.late.inTime = nil
			return errNoTrace(height)
		}
	}
	c.late.given[t.tx] = true
	return nil
}

// ask asks for traces in one request, and notes one that comes in time. Where all are late, each is.
func (c *Connector) ask(ctx context.Context, node *client.Client, part ...*txTrace) error {
	questions := make([]*client.Question, len(part))
	for i, t := range part {
		questions[i] = t.question
	}
	err := node.Each(ctx, questions...)
	if err != nil && !client.IsClass(err, client.Late) {
		return err
	}
	for _, t := range part {
		if err != nil {
			t.question.Err = err
		} else if t.question.Err == nil || client.IsClass(t.question.Err, client.Limit) {
			c.late.inTime = &t.tx
		}
	}
	return nil
}

func errNoTrace(height uint64) error { return odd("no trace of block %d comes in time", height) }

// untraced says once, in the log, that what contracts sent in a transaction is not seen.
func (c *Connector) untraced(b *client.Block, tx common.Hash) {
	if _, told := c.opaque.LoadOrStore(tx, true); !told {
		c.log.WithField("block", uint64(*b.Number)).WithField("txid", tx.Hex()).
			Warnf("the trace of a transaction is too large, or takes too long: %s that contracts sent in it is not seen, nor credited", c.coin.symbol)
	}
}

// stillThere is errForked when the chain no longer has a block: what a node said of its transactions may be of another block.
func (c *Connector) stillThere(ctx context.Context, b *client.Block) error {
	hash, err := c.Hash(ctx, int64(*b.Number))
	if err == nil && hash != b.Hash.Hex() {
		err = errForked
	}
	return err
}
