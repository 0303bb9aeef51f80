package evm

import (
	"cmp"
	"context"
	"maps"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains/evm/client"
)

// succeeded returns, by block hash, the transactions with a move of the native coin: a value, a recipient and a receipt of
// status 1.
func (c *Connector) succeeded(ctx context.Context, blocks []*client.Block) (map[common.Hash][]client.Tx, error) {
	candidates := map[common.Hash][]client.Tx{}
	var with []*client.Block
	for _, b := range blocks {
		for _, tx := range b.Transactions {
			if tx.Hash == nil || tx.Value == nil {
				return nil, odd("a transaction without its fields")
			}
			if tx.To != nil && tx.Value.ToInt().Sign() > 0 && tx.From != *tx.To {
				candidates[*b.Hash] = append(candidates[*b.Hash], tx)
			}
		}
		if len(candidates[*b.Hash]) > 0 {
			with = append(with, b)
		}
	}
	statuses, err := c.receipts(ctx, with, candidates)
	if err != nil {
		return nil, err
	}
	for hash, txs := range candidates {
		kept := txs[:0]
		for _, tx := range txs {
			moved, known := statuses[*tx.Hash]
			if !known {
				return nil, errForked
			}
			if moved {
				kept = append(kept, tx)
			}
		}
		candidates[hash] = kept
	}
	return candidates, nil
}

// lateFor is how long the receipts of blocks are asked for one by one after those of one alone did not come in time.
const lateFor = 10 * time.Minute

// receipts returns the status of the transactions of blocks: one question per block, or one per candidate where the node
// does not know eth_getBlockReceipts, or where those of a block are too large or, of one alone, do not come in time.
func (c *Connector) receipts(ctx context.Context, blocks []*client.Block, candidates map[common.Hash][]client.Tx) (map[common.Hash]bool, error) {
	if c.single.Load() || time.Now().UnixNano() < c.receiptsLate.Load() {
		return c.eachReceipt(ctx, blocks, candidates)
	}
	answers := make([][]client.Outcome, len(blocks))
	questions := make([]*client.Question, len(blocks))
	for i, b := range blocks {
		questions[i] = client.Ask(&answers[i], "eth_getBlockReceipts", *b.Hash).Without("logs", "logsBloom")
	}
	err := c.node.Each(ctx, questions...)
	if len(blocks) == 1 && client.IsClass(cmp.Or(err, questions[0].Err), client.Late) {
		c.receiptsLate.Store(time.Now().Add(lateFor).UnixNano())
		return c.eachReceipt(ctx, blocks, candidates)
	}
	if err != nil {
		return nil, gone(err)
	}
	statuses := map[common.Hash]bool{}
	var large []*client.Block
	for i, q := range questions {
		switch {
		case client.IsClass(q.Err, client.Unsupported):
			c.single.Store(true)
			return c.eachReceipt(ctx, blocks, candidates)
		case client.IsClass(q.Err, client.Limit):
			large = append(large, blocks[i])
		case q.Err != nil:
			return nil, gone(q.Err)
		}
		for _, r := range answers[i] {
			if err := note(statuses, &r, *blocks[i].Hash); err != nil {
				return nil, err
			}
		}
	}
	single, err := c.eachReceipt(ctx, large, candidates)
	maps.Copy(statuses, single)
	return statuses, err
}

func (c *Connector) eachReceipt(ctx context.Context, blocks []*client.Block, candidates map[common.Hash][]client.Tx) (map[common.Hash]bool, error) {
	statuses := map[common.Hash]bool{}
	for _, b := range blocks {
		txs := candidates[*b.Hash]
		answers := make([]*client.Outcome, len(txs))
		questions := make([]*client.Question, len(txs))
		for i, tx := range txs {
			questions[i] = client.Ask(&answers[i], "eth_getTransactionReceipt", *tx.Hash).Without("logs", "logsBloom")
		}
		if err := c.node.Batch(ctx, questions...); err != nil {
			return nil, err
		}
		for _, r := range answers {
			if r == nil {
				return nil, errForked
			}
			if err := note(statuses, r, *b.Hash); err != nil {
				return nil, err
			}
		}
	}
	return statuses, nil
}

func note(statuses map[common.Hash]bool, r *client.Outcome, block common.Hash) error {
	if r.TxHash == nil || r.BlockHash == nil || r.Status == nil {
		return odd("a receipt without its fields")
	}
	if *r.BlockHash != block {
		return errForked
	}
	statuses[*r.TxHash] = bool(*r.Status)
	return nil
}
