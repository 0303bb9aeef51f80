package monero

import (
	"context"
	"encoding/hex"
	"fmt"

	"causeway/chains"
	"causeway/chains/monero/client"
)

// Status looks up transactions, in the chain and the mempool of the node in use. A missing one may be known to another node: it is sent
// again.
func (c *Connector) Status(ctx context.Context, txids []string) (states map[string]chains.TxStatus, err error) {
	states = map[string]chains.TxStatus{}
	var asked []string
	for _, txid := range txids {
		states[txid] = chains.TxStatus{State: chains.TxMissing}
		if raw, err := hex.DecodeString(txid); err == nil && len(raw) == 32 {
			asked = append(asked, txid)
		}
	}
	if len(asked) == 0 {
		return states, nil
	}
	err = c.node.Use(ctx, func(n node) error {
		head, err := c.headOf(ctx, n, -1)
		if err != nil {
			return err
		}
		told, err := n.Client.Transactions(ctx, asked)
		if err != nil {
			return err
		}
		for i := range told {
			if states[told[i].Hash], err = stateOf(ctx, n, &told[i], head.Final); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	return states, nil
}

// stateOf reads the answer about a transaction. The block that has it is named by its header.
func stateOf(ctx context.Context, n node, told *client.Tx, final int64) (chains.TxStatus, error) {
	if told.InPool {
		return chains.TxStatus{State: chains.TxPending}, nil
	}
	t, err := readTransaction(ctx, n, told)
	if err != nil {
		return chains.TxStatus{}, err
	}
	block, err := n.Client.At(ctx, told.Height)
	if client.Missing(err) {
		return chains.TxStatus{}, errForked
	}
	if err != nil {
		return chains.TxStatus{}, err
	}
	if t.id.String() != told.Hash {
		return chains.TxStatus{}, odd("transaction %.64s is another one", told.Hash)
	}
	return chains.TxStatus{State: chains.TxMined, Height: told.Height, Block: block.Hash, Final: told.Height <= final, Fee: amountOf(t.fee)}, nil
}
