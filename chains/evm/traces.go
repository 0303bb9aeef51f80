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

// late is the block whose traces do not come in time, with its transactions whose own traces do not. It is one, since a follower
// stays at a block until it is read.
type late struct {
	sync.Mutex
	block common.Hash
	times int
	txs   map[common.Hash]bool
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
		l.block, l.times, l.txs = block, 0, map[common.Hash]bool{}
	}
}

// txTrace is the trace of one transaction.
type txTrace struct {
	tx       common.Hash
	frame    *client.Frame
	question *client.Question
}

// fails reports whether the trace is too large, or takes too long.
func (t *txTrace) fails() bool {
	return client.IsClass(t.question.Err, client.Limit) || client.IsClass(t.question.Err, client.Late)
}

// eachTrace asks for the traces of a block one by one, since together they are too large or too slow. Anybody can send a transaction
// whose own trace is: it counts as one without calls, so that it does not keep the others from being seen. An operator is told of
// it. If no trace at all comes in time, the fault is the node's and no transaction's.
func (c *Connector) eachTrace(ctx context.Context, b *client.Block) ([]client.Trace, error) {
	c.late.Lock()
	defer c.late.Unlock()
	c.late.at(*b.Hash)
	all, asked := c.txTraces(b)
	for part := range slices.Chunk(asked, c.cfg.Batch) {
		if err := c.askTraces(ctx, part); err != nil {
			return nil, err
		}
	}
	if !slices.ContainsFunc(asked, func(t *txTrace) bool { return !client.IsClass(t.question.Err, client.Late) }) {
		clear(c.late.txs)
		return nil, odd("no trace of block %d comes in time", uint64(*b.Number))
	}
	traces := make([]client.Trace, len(all))
	for i, t := range all {
		switch {
		case t.fails() || c.late.txs[t.tx]:
			t.frame = &client.Frame{}
			c.untraced(b, t.tx)
		case t.question.Err != nil:
			return nil, t.question.Err
		}
		traces[i].Result = t.frame
	}
	return traces, c.stillThere(ctx, b)
}

// txTraces returns the traces of a block's transactions, and those of them that were not late before.
func (c *Connector) txTraces(b *client.Block) (all, asked []*txTrace) {
	for _, tx := range b.Transactions {
		t := &txTrace{tx: *tx.Hash}
		t.question = askTrace(&t.frame, "debug_traceTransaction", t.tx)
		all = append(all, t)
		if !c.late.txs[t.tx] {
			asked = append(asked, t)
		}
	}
	return all, asked
}

// askTraces asks for traces together, and one at a time if together they are late. It notes which are late alone, so that the next
// step need not wait for them again.
func (c *Connector) askTraces(ctx context.Context, part []*txTrace) error {
	node := c.node.Within(c.cfg.Timeout / 2)
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
			if one := node.Each(ctx, t.question); client.IsClass(one, client.Late) {
				t.question.Err = one
			} else if one != nil {
				return one
			}
		}
		if client.IsClass(t.question.Err, client.Late) {
			c.late.txs[t.tx] = true
		}
	}
	return nil
}

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
