package utxo

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/utxo/client"
)

// lookup is the node's answer about one transaction.
type lookup struct {
	txid string
	told client.Tx
	at   client.Header // of its block
	pool struct{}      // it is in the mempool
	asks []*client.Question
}

// Status looks up transactions, in the chain and the mempool of the node in use. A missing one may be known to another node: it is sent
// again. With its index of transactions a node also answers for those of blocks that have left the chain: they count only while they are
// in the mempool again.
func (c *Connector) Status(ctx context.Context, txids []string) (states map[string]chains.TxStatus, err error) {
	if len(txids) == 0 {
		return map[string]chains.TxStatus{}, nil
	}
	err = c.use(ctx, func(v view) (err error) {
		states, err = v.status(ctx, txids)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	return states, nil
}

// status is Status, as one node answers.
func (v view) status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	looked, err := v.lookups(ctx, txids)
	if err != nil {
		return nil, err
	}
	head, err := v.head(ctx, -1)
	if err != nil {
		return nil, err
	}
	states := make(map[string]chains.TxStatus, len(txids))
	for _, txid := range txids {
		states[txid] = chains.TxStatus{State: chains.TxMissing}
	}
	for _, l := range looked {
		if states[l.txid], err = v.state(ctx, l, head); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// lookups asks for the transactions, and then for the blocks and the places in the mempool of those that the node knows.
func (v view) lookups(ctx context.Context, txids []string) ([]*lookup, error) {
	var looked []*lookup
	var questions []*client.Question
	for _, txid := range txids {
		if _, ok := hashOf(txid); ok { // no transaction here has another id
			l := &lookup{txid: txid}
			looked = append(looked, l)
			questions = append(questions, client.Ask(&l.told, "getrawtransaction", txid, 1))
		}
	}
	if err := v.eachKnown(ctx, questions); err != nil {
		return nil, err
	}
	questions = nil
	for _, l := range looked {
		if l.told.BlockHash != "" {
			l.asks = []*client.Question{client.Ask(&l.at, "getblockheader", l.told.BlockHash), client.Ask(&l.pool, "getmempoolentry", l.txid)}
			questions = append(questions, l.asks...)
		}
	}
	return looked, v.eachKnown(ctx, questions)
}

// state reads the answers about a transaction.
func (v view) state(ctx context.Context, l *lookup, head chains.Head) (chains.TxStatus, error) {
	switch {
	case l.told.Txid == "":
		return chains.TxStatus{State: chains.TxMissing}, nil
	case l.told.Txid != l.txid:
		return chains.TxStatus{}, odd("transaction %s is another one", l.txid)
	case l.told.BlockHash == "":
		return chains.TxStatus{State: chains.TxPending}, nil
	case l.asks[0].Err != nil || l.at.Confirmations < 1:
		if l.asks[1].Err == nil {
			return chains.TxStatus{State: chains.TxPending}, nil
		}
		return chains.TxStatus{State: chains.TxMissing}, nil
	case l.at.Hash != l.told.BlockHash || l.at.Height < 0:
		return chains.TxStatus{}, odd("transaction %s is in block %.64s without its header", l.txid, l.told.BlockHash)
	}
	fee, err := v.cost(ctx, &l.told)
	if err != nil {
		return chains.TxStatus{}, err
	}
	return chains.TxStatus{State: chains.TxMined, Height: l.at.Height, Block: l.at.Hash, Final: l.at.Height <= head.Final, Fee: fee}, nil
}

// cost returns the fee of a mined transaction: what its inputs are beyond its outputs.
func (v view) cost(ctx context.Context, told *client.Tx) (fee decimal.Decimal, err error) {
	t, err := spoken(told)
	if err != nil || t.coinbase {
		return fee, err
	}
	units, err := v.paidBy(ctx, &t)
	if err != nil {
		return fee, err
	}
	if units < 0 {
		return fee, odd("transaction %s pays more than it spends", told.Txid)
	}
	return amountOf(units), nil
}

// paidBy returns what the inputs of a transaction are beyond its outputs.
func (v view) paidBy(ctx context.Context, t *transaction) (units int64, err error) {
	spent, err := v.spentBy(ctx, t.ins)
	if err != nil {
		return 0, err
	}
	for _, in := range t.ins {
		units += spent[in.place()].units
	}
	for _, o := range t.outs {
		units -= o.units
	}
	return units, nil
}
