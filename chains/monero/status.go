package monero

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"causeway/chains"
	"causeway/chains/monero/client"
)

// Status looks up transactions, in the chain and the mempool of the node in use. Of one in a block the block is read: the node's word alone
// places nothing. A missing one may be known to another node: it is sent again.
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
	err = c.node.Use(ctx, func(n node) (err error) {
		for range rereads {
			if err = c.statesOf(ctx, n, asked, states); !errors.Is(err, errForked) {
				break
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	return states, nil
}

// statesOf is Status, as one node answers.
func (c *Connector) statesOf(ctx context.Context, n node, asked []string, states map[string]chains.TxStatus) error {
	head, err := c.headOf(ctx, n, -1)
	if err != nil {
		return err
	}
	told, err := n.Client.Transactions(ctx, asked)
	if err != nil {
		return err
	}
	for _, txid := range asked {
		states[txid] = chains.TxStatus{State: chains.TxMissing}
	}
	for i := range told {
		if !slices.Contains(asked, told[i].Hash) {
			return odd("transaction %.64s was not asked for", told[i].Hash)
		}
		if states[told[i].Hash], err = stateOf(ctx, n, &told[i], head.Final); err != nil {
			return err
		}
	}
	return nil
}

// stateOf reads the answer about a transaction. The block that has it names it among its own, and its hash is computed of that. So a
// transaction is final only in a block that the follower has read.
func stateOf(ctx context.Context, n node, told *client.Tx, final int64) (chains.TxStatus, error) {
	if told.InPool {
		return chains.TxStatus{State: chains.TxPending}, nil
	}
	t, err := readTransaction(ctx, n, told, anyHeight)
	if err != nil {
		return chains.TxStatus{}, err
	}
	if t.id.String() != told.Hash {
		return chains.TxStatus{}, odd("transaction %.64s is another one", told.Hash)
	}
	block, err := headOfBlock(ctx, n, told.Height)
	switch {
	case client.Missing(err):
		return chains.TxStatus{}, errForked
	case err != nil:
		return chains.TxStatus{}, err
	case !slices.Contains(block.txs[1:], t.id):
		return chains.TxStatus{}, errForked
	}
	return chains.TxStatus{State: chains.TxMined, Height: told.Height, Block: block.id.String(), Final: told.Height <= final, Fee: amountOf(t.fee)}, nil
}
