package utxo

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"

	"causeway/chains"
	"causeway/chains/utxo/client"
)

// Broadcast sends signed bytes. Rejected needs a proof of our own, whatever the node says. A transaction known to the node is Accepted:
// its coins are spent, by itself. Where nodes keep the first of two transactions of a coin, the second one finds its slot taken.
func (s *Sender) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	t, err := parse(raw)
	if err != nil {
		return chains.Rejected, "not a transaction: " + err.Error()
	}
	txid, err := s.send(ctx, raw)
	if err == nil && txid != t.hash.String() {
		return chains.Unknown, fmt.Sprintf("the node answers with the id %.64q", txid)
	}
	switch verdict := client.Sent(err); {
	case verdict == client.Taken:
		return chains.Accepted, ""
	case s.knows(ctx, t.hash.String()):
		return chains.Accepted, ""
	case verdict == client.CoinSpent:
		return chains.SlotTaken, "a coin of it is spent, but not by this transaction: " + err.Error()
	case verdict == client.Conflicting:
		return chains.SlotTaken, "a coin of it is spent in the mempool: " + err.Error()
	case verdict == client.Underpriced:
		return chains.Underpriced, err.Error()
	case client.Answered(err):
		return chains.NotTaken, err.Error()
	default:
		return chains.Unknown, err.Error()
	}
}

// send sends bytes to the first node in order, and to the next while they are not taken: one node alone may lack the transaction whose
// coin is spent. The error is the first refusal, or the lack of an answer: a node that has given none may have the bytes.
func (s *Sender) send(ctx context.Context, raw []byte) (txid string, err error) {
	var refused, lost error
	down := s.nodes.Use(ctx, func(node client.Node) error {
		txid = ""
		err = node.Client.Call(ctx, &txid, "sendrawtransaction", hex.EncodeToString(raw))
		switch {
		case client.Sent(err) == client.Taken:
			return nil
		case !client.Answered(err):
			lost = cmp.Or(lost, node.Named(err))
		default:
			refused = cmp.Or(refused, node.Named(err))
		}
		return err
	})
	if down == nil {
		return txid, err
	}
	return "", cmp.Or(lost, refused, down)
}

// knows reports whether the node has a transaction in its mempool or in a block.
func (s *Sender) knows(ctx context.Context, txid string) bool {
	all, err := s.Status(ctx, []string{txid})
	return err == nil && (all[txid].State == chains.TxPending || all[txid].State == chains.TxMined)
}
