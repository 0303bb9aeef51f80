package tron

import (
	"cmp"
	"context"
	"encoding/hex"

	"causeway/chains"
	"causeway/chains/nodes"
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
	id := hash(e.id()).String()
	sent, err := s.send(ctx, raw, id)
	switch {
	case client.Answered(err):
		return chains.NotTaken, err.Error()
	case err != nil:
		return chains.Unknown, err.Error()
	}
	reason := nodes.Words(sent.Code) + ": " + said(sent.Message)
	switch {
	case taken(sent):
		return chains.Accepted, ""
	case s.knows(ctx, id):
		return chains.Accepted, ""
	case sent.Code == "TRANSACTION_EXPIRATION_ERROR":
		return chains.Expired, reason
	default:
		return chains.NotTaken, reason
	}
}

// taken reports whether a node has a transaction, by its own words.
func taken(sent *client.Sent) bool {
	return sent.Result && (sent.Code == "" || sent.Code == "SUCCESS") || sent.Code == "DUP_TRANSACTION_ERROR"
}

// errRefused has the next node offered bytes that one does not take.
var errRefused = blameless{"the node does not take it", true}

// send sends bytes to the first node in order, and to the next while they are not taken. It returns what the first one that refuses says. If
// a node has given no answer, this is the error: it may have the bytes.
func (s *Sender) send(ctx context.Context, raw []byte, id string) (*client.Sent, error) {
	var refused, accepted *client.Sent
	var lost, answered error
	down := s.use(ctx, func(v view) error {
		var sent client.Sent
		err := v.ask(ctx, &sent, "wallet/broadcasthex", map[string]string{"transaction": hex.EncodeToString(raw)})
		switch {
		case client.Answered(err):
			answered = cmp.Or(answered, v.node.Named(err))
		case err != nil:
			lost = cmp.Or(lost, v.node.Named(err))
		case sent.Txid != "" && sent.Txid != id:
			err = odd("the node answers with the id %.64s", nodes.Words(sent.Txid))
			lost = cmp.Or(lost, err)
		case taken(&sent):
			accepted = &sent
		case sent.Code == "":
			err = odd("the node's answer says nothing")
			lost = cmp.Or(lost, err)
		default:
			refused, err = cmp.Or(refused, &sent), errRefused
		}
		return err
	})
	switch {
	case accepted != nil:
		return accepted, nil
	case lost != nil:
		return nil, lost
	case refused != nil:
		return refused, nil
	default:
		return nil, cmp.Or(answered, down)
	}
}

// knows reports whether the node has a transaction in its mempool or in a block.
func (s *Sender) knows(ctx context.Context, txid string) bool {
	var now chains.TxStatus
	err := s.use(ctx, func(v view) (err error) {
		now, err = v.state(ctx, txid)
		return err
	})
	return err == nil && now.State != chains.TxMissing
}
