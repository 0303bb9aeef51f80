package evm

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// Origin returns who has sent a transaction, and at which nonce.
func (c *Connector) Origin(ctx context.Context, txid string) (chains.Origin, error) {
	hash, err := hexutil.Decode(txid)
	if err != nil || len(hash) != common.HashLength {
		return chains.Origin{}, nil //nolint:nilerr // no transaction here has such an id
	}
	if err := c.ready(ctx); err != nil {
		return chains.Origin{}, fmt.Errorf("origin: %w", err)
	}
	var tx *client.Origin
	if err := c.node.Call(ctx, &tx, "eth_getTransactionByHash", common.BytesToHash(hash)); err != nil {
		return chains.Origin{}, fmt.Errorf("origin: %w", err)
	}
	switch {
	case tx == nil:
		return chains.Origin{}, nil
	case tx.Hash == nil || *tx.Hash != common.BytesToHash(hash) || tx.From == nil || !isNonce((*hexutil.Uint64)(tx.Nonce)):
		return chains.Origin{}, odd("a transaction %s without its sender and nonce", txid)
	}
	return chains.Origin{Txid: tx.Hash.Hex(), From: c.Match(tx.From.Hex()), Nonce: int64(*tx.Nonce)}, nil
}
