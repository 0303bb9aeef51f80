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
		questions[i] = client.Ask(&answers[i], "debug_traceBlockByHash", *b.Hash, map[string]string{"tracer": "callTracer"})
	}
	if err := c.node.Batch(ctx, questions...); err != nil {
		return nil, gone(err)
	}
	found := map[common.Hash][]move{}
	for i, b := range with {
		moves, err := c.traced(b, answers[i])
		if err != nil {
			return nil, err
		}
		found[*b.Hash] = moves
	}
	return found, nil
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
