package tron

import (
	"context"
	"encoding/hex"
	"fmt"

	"causeway/chains"
	"causeway/chains/tron/client"
)

// Broadcast sends signed bytes. Rejected needs a proof of our own, whatever the node says. A transaction that the node has seen is Accepted,
// though it may have thrown it away since: its blocks decide. What it refuses now, such as one that the wallet's balance does not cover, may
// be taken by another.
func (s *Sender) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	e, err := readEnvelope(raw)
	if err != nil {
		return chains.Rejected, "not a transaction: " + err.Error()
	}
	r, err := readRaw(e.raw)
	if err != nil {
		return chains.Rejected, "not a transaction: " + err.Error()
	}
	owner, known := r.owner()
	if by, err := e.signer(); err != nil || !known || by != owner {
		return chains.Rejected, "the signature does not fit"
	}
	var sent client.Sent
	if err := s.ask(ctx, &sent, "wallet/broadcasthex", map[string]string{"transaction": hex.EncodeToString(raw)}); err != nil {
		if client.Answered(err) {
			return chains.NotTaken, err.Error()
		}
		return chains.Unknown, err.Error()
	}
	id := hash(e.id()).String()
	if sent.Txid != "" && sent.Txid != id {
		return chains.Unknown, fmt.Sprintf("the node answers with the id %.64s", client.Clean(sent.Txid))
	}
	reason := client.Clean(sent.Code) + ": " + said(sent.Message)
	switch {
	case sent.Result && (sent.Code == "" || sent.Code == "SUCCESS"), sent.Code == "DUP_TRANSACTION_ERROR":
		return chains.Accepted, ""
	case s.knows(ctx, id):
		return chains.Accepted, ""
	case sent.Code == "TRANSACTION_EXPIRATION_ERROR":
		return chains.Expired, reason
	case sent.Code == "":
		return chains.Unknown, "the node's answer says nothing"
	default:
		return chains.NotTaken, reason
	}
}

// knows reports whether the node has a transaction in its mempool or in a block.
func (s *Sender) knows(ctx context.Context, txid string) bool {
	now, err := s.state(ctx, txid)
	return err == nil && now.State != chains.TxMissing
}
