package evm

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// lookup is the node's answer about one transaction.
type lookup struct {
	txid    string
	tx      *client.SentTx
	receipt *client.Receipt
	at      *client.Header // the block at the receipt's height now
}

// Status looks up transactions. A receipt counts only while its block is in the best chain: an orphaned one is pending
// again, or missing.
func (c *Connector) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	if len(txids) == 0 {
		return map[string]chains.TxStatus{}, nil
	}
	looked, err := c.lookups(ctx, txids)
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	head, err := c.Head(ctx, -1)
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	states := make(map[string]chains.TxStatus, len(txids))
	for _, txid := range txids {
		states[txid] = chains.TxStatus{State: chains.TxMissing}
	}
	for _, l := range looked {
		state, err := c.state(l, head)
		if err != nil {
			c.blame(err)
			return nil, fmt.Errorf("status: %w", err)
		}
		states[l.txid] = state
	}
	return states, nil
}

func (c *Connector) lookups(ctx context.Context, txids []string) ([]*lookup, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	var looked []*lookup
	var questions []*client.Question
	for _, txid := range txids {
		hash, err := hexutil.Decode(txid)
		if err != nil || len(hash) != common.HashLength {
			continue // no transaction here has such an id
		}
		l := &lookup{txid: txid}
		looked = append(looked, l)
		questions = append(questions,
			client.Ask(&l.tx, "eth_getTransactionByHash", common.BytesToHash(hash)),
			client.Ask(&l.receipt, "eth_getTransactionReceipt", common.BytesToHash(hash)))
	}
	if err := c.node.Batch(ctx, questions...); err != nil {
		return nil, err
	}
	questions = nil
	for _, l := range looked {
		if r := l.receipt; r != nil && r.BlockNumber != nil {
			questions = append(questions, client.Ask(&l.at, "eth_getBlockByNumber", hexutil.Uint64(*r.BlockNumber), false))
		}
	}
	return looked, c.node.Batch(ctx, questions...)
}

func (c *Connector) state(l *lookup, head chains.Head) (chains.TxStatus, error) {
	r := l.receipt
	switch {
	case r == nil && l.tx == nil:
		return chains.TxStatus{State: chains.TxMissing}, nil
	case r == nil:
		return chains.TxStatus{State: chains.TxPending}, nil
	case r.BlockNumber == nil || r.BlockHash == nil || r.Status == nil || r.GasUsed == nil || uint64(*r.BlockNumber) >= 1<<53:
		return chains.TxStatus{}, odd("a receipt of %s without its fields", l.txid)
	case l.at == nil || l.at.Hash == nil || *l.at.Hash != *r.BlockHash:
		return orphaned(l), nil
	}
	fee, err := c.cost(l)
	if err != nil {
		return chains.TxStatus{}, err
	}
	height := int64(*r.BlockNumber)
	now := chains.TxStatus{State: chains.TxReverted, Height: height, Block: r.BlockHash.Hex(), Final: height <= head.Final, Fee: fee}
	if *r.Status {
		var known bool
		now.State = chains.TxMined
		now.Amiss, known = c.amiss(l)
		now.Final = now.Final && known
	}
	return now, nil
}

// orphaned is the state of a transaction with a receipt from a block outside the best chain.
func orphaned(l *lookup) chains.TxStatus {
	if l.tx != nil && l.tx.BlockHash == nil {
		return chains.TxStatus{State: chains.TxPending}
	}
	return chains.TxStatus{State: chains.TxMissing}
}

// cost returns the cost of a mined transaction: its gas and, on OP chains, its data and the operator's fee.
func (c *Connector) cost(l *lookup) (fee decimal.Decimal, err error) {
	price := l.receipt.GasPrice
	if price == nil && l.tx != nil {
		price = l.tx.GasPrice
	}
	if price == nil {
		return fee, odd("a receipt of %s without its gas price", l.txid)
	}
	wei := new(big.Int).Mul(price.ToInt(), new(big.Int).SetUint64(uint64(*l.receipt.GasUsed)))
	if l.receipt.L1Fee != nil {
		wei.Add(wei, l.receipt.L1Fee.ToInt())
	}
	return c.coin.amount(wei.Add(wei, operatorFee(l.receipt))), nil
}

// operatorFee is a transaction's fee to the operator of an OP chain, beside gas and data: a constant, and an amount for each
// gas. The latter is in millionths of a wei since Isthmus, and in hundreds of wei since Jovian, whose receipts have the
// footprint of data.
func operatorFee(r *client.Receipt) *big.Int {
	fee := new(big.Int)
	if r.OperatorScalar != nil {
		fee.Mul(r.OperatorScalar.ToInt(), new(big.Int).SetUint64(uint64(*r.GasUsed)))
		if r.Footprint != nil {
			fee.Mul(fee, big.NewInt(100))
		} else {
			fee.Div(fee, big.NewInt(1_000_000))
		}
	}
	if r.OperatorConstant != nil {
		fee.Add(fee, r.OperatorConstant.ToInt())
	}
	return fee
}
