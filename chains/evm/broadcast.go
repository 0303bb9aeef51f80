package evm

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// Broadcast sends signed bytes. Rejected needs a proof of our own, whatever the node says. A transaction known to the node is
// Accepted. Other answers of the node are SlotTaken, Underpriced (the node says so, or proves nothing while the network asks
// for more than the bytes offer) or NotTaken. Everything else is Unknown.
func (s *Sender) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return chains.Rejected, "not a transaction: " + err.Error()
	}
	if why := s.invalid(tx); why != "" {
		return chains.Rejected, why
	}
	if err := s.ready(ctx); err != nil {
		return chains.Unknown, err.Error()
	}
	var hash *common.Hash
	err := s.node.Call(ctx, &hash, "eth_sendRawTransaction", hexutil.Bytes(raw))
	if err == nil && (hash == nil || *hash != tx.Hash()) {
		return chains.Unknown, fmt.Sprintf("the node answers with the id %v", hash)
	}
	switch verdict := client.Sent(err); {
	case verdict == client.Taken:
		return chains.Accepted, ""
	case verdict == client.Invalid && tx.Gas() < intrinsicGas(tx.Data()):
		return chains.Rejected, err.Error()
	case s.knows(ctx, tx.Hash()):
		return chains.Accepted, ""
	case verdict == client.NonceUsed:
		return chains.SlotTaken, "the nonce is spent, but not by this transaction: " + err.Error()
	case verdict == client.Underpriced, verdict == client.Unsure && client.Answered(err) && s.asksMore(ctx, tx):
		return chains.Underpriced, err.Error()
	case client.Answered(err):
		return chains.NotTaken, err.Error()
	default:
		return chains.Unknown, err.Error()
	}
}

// asksMore reports whether fees have risen above the offer of a transaction. A network without an answer, or asking for more
// than the operator allows, gives no reason to sign again.
func (s *Sender) asksMore(ctx context.Context, tx *types.Transaction) bool {
	m := s.newMarket()
	if err := s.node.Each(ctx, m.questions...); err != nil {
		return false
	}
	offer, err := m.offer()
	return err == nil && (offer.tip.Cmp(tx.GasTipCap()) > 0 || offer.most.Cmp(tx.GasFeeCap()) > 0)
}

// invalid says why no node of this chain can ever take a transaction, "" when nothing proves it.
func (s *Sender) invalid(tx *types.Transaction) string {
	if !tx.Protected() || tx.ChainId().Uint64() != s.cfg.ChainID || !tx.ChainId().IsUint64() {
		return "signed for another chain"
	}
	if _, err := types.Sender(s.signer, tx); err != nil {
		return "the signature does not fit: " + err.Error()
	}
	return ""
}

// intrinsicGas is the least gas for calldata on every chain: 4 for a zero byte and 16 for another (EIP-2028).
func intrinsicGas(data []byte) uint64 {
	gas := uint64(plainGas)
	for _, b := range data {
		gas += 4
		if b != 0 {
			gas += 12
		}
	}
	return gas
}

// knows reports whether the node has a transaction in its mempool or in a block.
func (s *Sender) knows(ctx context.Context, hash common.Hash) bool {
	var tx *client.SentTx
	err := s.node.Call(ctx, &tx, "eth_getTransactionByHash", hash)
	return err == nil && tx != nil && tx.Hash != nil && *tx.Hash == hash
}
