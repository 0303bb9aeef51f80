package evm

import (
	"cmp"
	"context"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains/evm/client"
)

// misses reports whether native coin sent by contracts goes unseen: neither traces nor logs show it. The contract of Celo's
// coin logs moves through the contract, and no plain call.
func (c *Connector) misses() bool { return !c.cfg.Traces && !c.logsCoin() }

// inner returns, by block hash, the moves of the native coin by contracts, if the operator has switched traces on.
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
	apart := len(with) == 1 && c.late.often(*with[0].Hash)
	if !apart {
		err := c.node.Each(ctx, questions...)
		if len(with) == 1 && client.IsClass(cmp.Or(err, questions[0].Err), client.Late) {
			c.late.add(*with[0].Hash)
		}
		if err != nil {
			return nil, err
		}
	}
	found := map[common.Hash][]move{}
	for i, b := range with {
		traces, err := answers[i], questions[i].Err
		if apart || client.IsClass(err, client.Limit) || err == nil && lacks(traces) {
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

// lacks reports whether a node has answered for a block without the trace of each of its transactions.
func lacks(traces []client.Trace) bool {
	return slices.ContainsFunc(traces, func(t client.Trace) bool { return t.Result == nil })
}

// askTrace asks for the calls of a block or transaction, without the calldata and the answer of each call.
func askTrace(result any, method string, of common.Hash) *client.Question {
	return client.Ask(result, method, of, map[string]string{"tracer": "callTracer"}).Without("input", "output")
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

// called collects the values of calls and of the calls within them. A failed call has moved nothing.
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
