package evm

import (
	"context"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains/evm/client"
)

// transferTopic is the first topic of Transfer(address,address,uint256).
var transferTopic = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))

// logs returns the transfer logs of our contracts in these blocks, by block hash. Logs of another fork than the blocks are
// errForked. A block without logs in the answer, but with one of our contracts in its bloom filter, is asked for again by its
// hash: nodes answer ranges not yet indexed with nothing.
func (c *Connector) logs(ctx context.Context, blocks []*client.Block) (map[common.Hash][]client.Log, error) {
	if len(c.logged()) == 0 {
		return nil, nil
	}
	found := map[common.Hash][]client.Log{}
	from, to := int64(*blocks[0].Number), int64(*blocks[len(blocks)-1].Number)
	for from <= to {
		end := min(from+c.span.Load()-1, to)
		var logs client.Logs
		err := c.node.Call(ctx, &logs, "eth_getLogs", c.filter(map[string]any{
			"fromBlock": hexutil.Uint64(from), "toBlock": hexutil.Uint64(end),
		}))
		if client.IsClass(err, client.Limit) && end > from {
			c.span.Store((end - from + 1) / 2)
			continue
		}
		if client.IsClass(err, client.Limit) {
			logs, err = c.logsOfReceipts(ctx, blocks[from-int64(*blocks[0].Number)])
		}
		if err != nil {
			return nil, err
		}
		if err := c.sortLogs(found, logs, blocks); err != nil {
			return nil, err
		}
		from = end + 1
		c.span.Store(min(2*c.span.Load(), int64(c.cfg.MaxRange)))
	}
	return found, c.missed(ctx, found, blocks)
}

func (c *Connector) filter(where map[string]any) map[string]any {
	contracts := make([]common.Address, 0, len(c.logged()))
	for contract := range c.logged() {
		contracts = append(contracts, contract)
	}
	where["address"] = contracts
	where["topics"] = [][]common.Hash{c.topics()}
	return where
}

// isOurs reports whether a log is a transfer of one of our contracts.
func (c *Connector) isOurs(l *client.Log) bool {
	_, ours := c.logged()[l.Address]
	return ours && len(l.Topics) > 0 && slices.Contains(c.topics(), l.Topics[0])
}

// sortLogs files logs under their blocks. A log not asked for shows a node that did not understand the question.
func (c *Connector) sortLogs(found map[common.Hash][]client.Log, logs []client.Log, blocks []*client.Block) error {
	first := uint64(*blocks[0].Number)
	for _, l := range logs {
		if l.Removed {
			continue
		}
		if l.BlockNumber == nil || l.BlockHash == nil || l.TxHash == nil || l.Index == nil || l.Data == nil {
			return odd("a log without its fields")
		}
		if !c.isOurs(&l) {
			return odd("a log that was not asked for")
		}
		i := uint64(*l.BlockNumber) - first
		if i >= uint64(len(blocks)) {
			return odd("a log of block %d, which was not asked for", uint64(*l.BlockNumber))
		}
		if *l.BlockHash != *blocks[i].Hash {
			return errForked
		}
		found[*l.BlockHash] = append(found[*l.BlockHash], l)
	}
	return nil
}

// missed asks by hash for the logs of blocks without any, if their bloom filters announce some.
func (c *Connector) missed(ctx context.Context, found map[common.Hash][]client.Log, blocks []*client.Block) error {
	var asked []*client.Block
	for _, b := range blocks {
		if len(found[*b.Hash]) == 0 && c.blooms(b.Bloom) {
			asked = append(asked, b)
		}
	}
	answers := make([]client.Logs, len(asked))
	questions := make([]*client.Question, len(asked))
	for i, b := range asked {
		questions[i] = client.Ask(&answers[i], "eth_getLogs", c.filter(map[string]any{"blockHash": *b.Hash}))
	}
	if err := c.node.Each(ctx, questions...); err != nil {
		return gone(err)
	}
	for i, q := range questions {
		logs, err := answers[i], q.Err
		if client.IsClass(err, client.Limit) {
			logs, err = c.logsOfReceipts(ctx, asked[i])
		}
		if err != nil {
			return gone(err)
		}
		if err := c.sortLogs(found, logs, blocks); err != nil {
			return err
		}
	}
	return nil
}

// logsOfReceipts returns the transfer logs of our contracts in a block with more of them than the node gives at once. It reads
// the receipts of the block, or each receipt by itself if those are too much as well.
func (c *Connector) logsOfReceipts(ctx context.Context, b *client.Block) (client.Logs, error) {
	receipts := []*client.LoggedReceipt{}
	err := c.node.Call(ctx, &receipts, "eth_getBlockReceipts", *b.Hash)
	if client.IsClass(err, client.Limit) || client.IsClass(err, client.Late) || client.IsClass(err, client.Unsupported) {
		receipts = make([]*client.LoggedReceipt, len(b.Transactions))
		questions := make([]*client.Question, len(b.Transactions))
		for i, tx := range b.Transactions {
			if tx.Hash == nil {
				return nil, odd("a transaction without its hash")
			}
			questions[i] = client.Ask(&receipts[i], "eth_getTransactionReceipt", *tx.Hash)
		}
		err = c.node.Batch(ctx, questions...)
	}
	if err != nil {
		return nil, gone(err)
	}
	if len(receipts) != len(b.Transactions) {
		return nil, odd("%d receipts of %d transactions", len(receipts), len(b.Transactions))
	}
	var ours client.Logs
	for _, r := range receipts {
		switch {
		case r == nil:
			return nil, errForked
		case r.BlockHash == nil || r.Logs == nil:
			return nil, odd("a receipt without its fields")
		case *r.BlockHash != *b.Hash:
			return nil, errForked
		}
		for _, l := range r.Logs {
			if c.isOurs(&l) {
				ours = append(ours, l)
			}
		}
	}
	return ours, nil
}

// blooms reports whether a block's filter may hold a transfer of one of our contracts.
func (c *Connector) blooms(filter []byte) bool {
	if len(filter) != types.BloomByteLength {
		return false
	}
	bloom := types.BytesToBloom(filter)
	if !slices.ContainsFunc(c.topics(), func(topic common.Hash) bool { return bloom.Test(topic[:]) }) {
		return false
	}
	for contract := range c.logged() {
		if bloom.Test(contract[:]) {
			return true
		}
	}
	return false
}
