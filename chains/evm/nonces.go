package evm

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// NonceAt returns the first nonce of an address unused in the blocks up to a height. Heights long past need an archive
// node.
func (c *Connector) NonceAt(ctx context.Context, address string, height int64) (uint64, error) {
	nonce, err := c.nonceAt(ctx, address, hexutil.EncodeUint64(uint64(max(height, 0))))
	if err != nil {
		return 0, fmt.Errorf("nonce at %d: %w", height, err)
	}
	return nonce, nil
}

// NextNonce returns the first nonce of an address unused both in blocks and in the mempool.
func (c *Connector) NextNonce(ctx context.Context, address string) (uint64, error) {
	nonce, err := c.nonceAt(ctx, address, "pending")
	if err != nil {
		return 0, fmt.Errorf("next nonce: %w", err)
	}
	return nonce, nil
}

// nonceAt returns how many transactions of an address a node has up to a block, by its number or tag.
func (c *Connector) nonceAt(ctx context.Context, address, block string) (uint64, error) {
	if err := c.ready(ctx); err != nil {
		return 0, err
	}
	var nonce *hexutil.Uint64
	if err := c.node.Call(ctx, &nonce, "eth_getTransactionCount", common.HexToAddress(address), block); err != nil {
		return 0, err
	}
	if !isNonce(nonce) {
		return 0, odd("a nonce %v", nonce)
	}
	return uint64(*nonce), nil
}

// isNonce reports whether a node has named a nonce. No wallet reaches the greatest.
func isNonce(n *hexutil.Uint64) bool { return n != nil && uint64(*n) < 1<<53 }

// Origin returns the sender of a transaction, and its nonce.
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
