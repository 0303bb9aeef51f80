package evm

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains/evm/client"
)

// timesLate is how often a single block's traces must be late before its transactions are asked for one by one, and how often a
// single transaction's must be before it is given up.
const timesLate = 2

// late is the block with late traces, and the state of the traces of its transactions. There is one such block, since a
// follower stays at a block until it is read.
type late struct {
	sync.Mutex
	block common.Hash
	times int
	came  map[common.Hash]*client.Frame // traces received in time, kept for the next step if this one ends early
	tries map[common.Hash]int           // in how many steps a transaction's trace was late while another's came in time
	given map[common.Hash]bool          // transactions whose traces are given up
}

// add notes one late answer with the traces of a block.
func (l *late) add(block common.Hash) {
	l.Lock()
	defer l.Unlock()
	l.at(block)
	l.times++
}

// often reports whether the traces of a block were late timesLate times.
func (l *late) often(block common.Hash) bool {
	l.Lock()
	defer l.Unlock()
	return l.block == block && l.times >= timesLate
}

// at forgets another block.
func (l *late) at(block common.Hash) {
	if l.block != block {
		l.block, l.times = block, 0
		l.came, l.tries, l.given = map[common.Hash]*client.Frame{}, map[common.Hash]int{}, map[common.Hash]bool{}
	}
}

// missing returns questions for the traces neither received nor given up, the possibly long ones last.
func (l *late) missing(b *client.Block) []*txTrace {
	var out []*txTrace
	for _, tx := range lightestFirst(b) {
		if l.came[*tx.Hash] == nil && !l.given[*tx.Hash] {
			out = append(out, newTxTrace(*tx.Hash))
		}
	}
	return out
}

// witness returns a question for the lightest trace received in time, or nil: if it is late now, the fault is the node's.
func (l *late) witness(b *client.Block) *txTrace {
	for _, tx := range lightestFirst(b) {
		if l.came[*tx.Hash] != nil {
			return newTxTrace(*tx.Hash)
		}
	}
	return nil
}

// lightestFirst orders transactions by their gas, the bound of their traces.
func lightestFirst(b *client.Block) []client.Tx {
	gas := func(tx client.Tx) client.Uint64 {
		if tx.Gas == nil {
			return 0
		}
		return *tx.Gas
	}
	return slices.SortedStableFunc(slices.Values(b.Transactions), func(x, y client.Tx) int { return cmp.Compare(gas(x), gas(y)) })
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

// eachTrace asks for the traces of a block one by one, since together they are too large or too slow. Anybody can send a
// transaction with such a trace of its own: it counts as one without calls, so the others are still seen. The log tells the
// operator of it. If no trace at all comes in time, the fault is the node's and no transaction's.
func (c *Connector) eachTrace(ctx context.Context, b *client.Block) ([]client.Trace, error) {
	c.late.Lock()
	defer c.late.Unlock()
	c.late.at(*b.Hash)
	if err := c.askTraces(ctx, b); err != nil {
		return nil, err
	}
	traces := make([]client.Trace, len(b.Transactions))
	for i, tx := range b.Transactions {
		if traces[i].Result = c.late.came[*tx.Hash]; c.late.given[*tx.Hash] {
			traces[i].Result = &client.Frame{}
			c.untraced(b, *tx.Hash)
		}
	}
	clear(c.late.came) // traces of a read block are not kept
	return traces, c.stillThere(ctx, b)
}

// askTraces asks for the missing traces: together, and alone for each late one.
func (c *Connector) askTraces(ctx context.Context, b *client.Block) error {
	fresh := slices.DeleteFunc(c.late.missing(b), func(t *txTrace) bool { return c.late.tries[t.tx] > 0 })
	for part := range slices.Chunk(fresh, c.cfg.Batch) {
		if err := c.ask(ctx, c.node.Within(c.cfg.Timeout/2), part...); err != nil {
			return err
		}
	}
	works := false
	for _, t := range c.late.missing(b) {
		var err error
		if works, err = c.askAlone(ctx, b, t, works); err != nil {
			return err
		}
	}
	if missing := c.late.missing(b); len(missing) > 0 {
		return odd("the trace of transaction %s in block %d does not come in time", missing[0].tx, uint64(*b.Number))
	}
	return nil
}

// askAlone asks for a trace by itself, and reports whether it came in time. It is given up when it is late in timesLate steps,
// each time right after another's came in time: the one before it, or the witness's if works is false.
func (c *Connector) askAlone(ctx context.Context, b *client.Block, t *txTrace, works bool) (bool, error) {
	if witness := c.late.witness(b); !works && witness != nil {
		if err := c.ask(ctx, c.node, witness); err != nil {
			return false, err
		}
		if witness.late() {
			return false, odd("no trace of block %d comes in time", uint64(*b.Number))
		}
		works = true
	}
	if err := c.ask(ctx, c.node, t); err != nil || !t.late() {
		return true, err
	}
	if works {
		c.late.tries[t.tx]++
		c.late.given[t.tx] = c.late.tries[t.tx] >= timesLate
	}
	return false, nil
}

// ask asks for traces in one request, and keeps those received in time. If the request is late, each trace is; a trace too
// large is given up.
func (c *Connector) ask(ctx context.Context, node *client.Pool, part ...*txTrace) error {
	questions := make([]*client.Question, len(part))
	for i, t := range part {
		questions[i] = t.question
	}
	late := node.Each(ctx, questions...)
	if late != nil && !client.IsClass(late, client.Late) {
		return late
	}
	for _, t := range part {
		switch {
		case late != nil:
			t.question.Err = late
		case client.IsClass(t.question.Err, client.Limit):
			c.late.given[t.tx] = true
		case t.late():
		case t.question.Err != nil:
			return t.question.Err
		case t.frame == nil:
			return odd("no trace of transaction %s", t.tx)
		default:
			c.late.came[t.tx] = t.frame
		}
	}
	return nil
}

// untraced logs, once, that coin sent by contracts in a transaction is not seen.
func (c *Connector) untraced(b *client.Block, tx common.Hash) {
	if _, told := c.opaque.LoadOrStore(tx, true); !told {
		c.log.WithField("block", uint64(*b.Number)).WithField("txid", tx.Hex()).
			Warnf("the trace of a transaction is too large, or takes too long: %s that contracts sent in it is not seen, nor credited", c.coin.symbol)
	}
}

// stillThere is errForked when the chain no longer has a block: the node's answers may be about another block.
func (c *Connector) stillThere(ctx context.Context, b *client.Block) error {
	hash, err := c.Hash(ctx, int64(*b.Number))
	if err == nil && hash != b.Hash.Hex() {
		err = errForked
	}
	return err
}
