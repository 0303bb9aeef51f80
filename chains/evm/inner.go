package evm

import (
	"context"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains/evm/client"
)

// misses reports whether native coin that contracts send is not seen: neither traces nor logs show it.
func (c *Connector) misses() bool { return !c.cfg.Traces && c.cfg.NativeLogs == "" }

// inner returns, by block hash, what contracts sent of the native coin, where the operator has switched traces on.
func (c *Connector) inner(ctx context.Context, blocks []*client.Block) (map[common.Hash][]move, error) {
	if !c.cfg.Traces {
		return nil, nil
	}
	var with []*client.Block
	for _, b := range blocks {
		if len(b.Transactions) > 0 {
			with = append(with, b)
		}
	}
	answers := make([][]client.Trace, len(with))
	questions := make([]*client.Question, len(with))
	for i, b := range with {
		questions[i] = askTrace(&answers[i], "debug_traceBlockByHash", *b.Hash)
	}
	if err := c.node.Each(ctx, questions...); err != nil {
		return nil, err
	}
	found := map[common.Hash][]move{}
	for i, b := range with {
		traces, err := answers[i], questions[i].Err
		if client.IsClass(err, client.Limit) {
			traces, err = c.eachTrace(ctx, b)
		}
		if err != nil {
			return nil, gone(err)
		}
		moves, err := c.traced(b, traces)
		if err != nil {
			return nil, err
		}
		found[*b.Hash] = moves
	}
	return found, nil
}

// askTrace asks for the calls of a block or transaction, without the calldata and the answer of each call.
func askTrace(result any, method string, of common.Hash) *client.Question {
	return client.Ask(result, method, of, map[string]string{"tracer": "callTracer"}).Without("input", "output")
}

// eachTrace asks for the traces of a block one by one, since together they are too large. Anybody can send a transaction whose own
// trace is: it counts as one without calls, so that it does not keep the others from being seen. An operator is told of it.
func (c *Connector) eachTrace(ctx context.Context, b *client.Block) ([]client.Trace, error) {
	frames := make([]*client.Frame, len(b.Transactions))
	questions := make([]*client.Question, len(frames))
	for i, tx := range b.Transactions {
		questions[i] = askTrace(&frames[i], "debug_traceTransaction", *tx.Hash)
	}
	if err := c.node.Each(ctx, questions...); err != nil {
		return nil, err
	}
	traces := make([]client.Trace, len(frames))
	for i, q := range questions {
		switch {
		case client.IsClass(q.Err, client.Limit):
			frames[i] = &client.Frame{}
			c.untraced(b, *b.Transactions[i].Hash)
		case q.Err != nil:
			return nil, q.Err
		}
		traces[i].Result = frames[i]
	}
	return traces, c.stillThere(ctx, b)
}

// untraced says once, in the log, that what contracts sent in a transaction is not seen.
func (c *Connector) untraced(b *client.Block, tx common.Hash) {
	if _, told := c.opaque.LoadOrStore(tx, true); !told {
		c.log.WithField("block", uint64(*b.Number)).WithField("txid", tx.Hex()).
			Warnf("the trace of a transaction is too large: %s that contracts sent in it is not seen, nor credited", c.coin.symbol)
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

func (c *Connector) traced(b *client.Block, traces []client.Trace) (moves []move, err error) {
	if len(traces) != len(b.Transactions) {
		return nil, odd("%d traces of %d transactions in block %d", len(traces), len(b.Transactions), uint64(*b.Number))
	}
	for i, trace := range traces {
		tx := *b.Transactions[i].Hash
		if trace.Result == nil || trace.TxHash != nil && *trace.TxHash != tx {
			return nil, odd("no trace of transaction %s", tx)
		}
		if trace.Result.Error == "" {
			moves = c.called(moves, tx, trace.Result.Calls)
		}
	}
	return moves, nil
}

// called collects the values of calls and of what they called in turn. A call that failed has moved nothing.
func (c *Connector) called(moves []move, tx common.Hash, calls []client.Frame) []move {
	for _, f := range calls {
		if f.Error != "" {
			continue
		}
		sends := f.Type == "CALL" || f.Type == "SELFDESTRUCT"
		if sends && f.To != nil && f.Value != nil && f.Value.ToInt().Sign() > 0 && f.From != *f.To {
			moves = append(moves, move{tx, c.coin, f.From, *f.To, f.Value.ToInt(), true})
		}
		moves = c.called(moves, tx, f.Calls)
	}
	return moves
}
