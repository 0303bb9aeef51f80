package monero

import (
	"context"
	"encoding/hex"

	"causeway/chains"
	"causeway/chains/nodes"
)

// verdict is a node's answer to a transaction that was sent.
type verdict struct {
	Status  string
	Reason  string
	Twice   bool `json:"double_spend"`
	FeeLow  bool `json:"fee_too_low"`
	Relayed bool `json:"not_relayed"`
}

// Broadcast sends signed bytes. A transaction known to the node is Accepted. Nodes keep the first of two transactions of a coin, so the
// second one finds its slot taken. Bytes that cannot be read here were signed once, and a node may read them, so they are Unknown.
func (s *Sender) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	t, ok := parseWhole(raw)
	if !ok {
		return chains.Unknown, "not a transaction"
	}
	var last verdict
	err := s.node.Use(ctx, func(n node) error {
		last = verdict{}
		return n.Client.Post(ctx, &last, "/send_raw_transaction", map[string]any{"tx_as_hex": hex.EncodeToString(raw)})
	})
	switch {
	case err != nil:
		return chains.Unknown, err.Error()
	case last.Status == "OK":
		return chains.Accepted, ""
	case s.knows(ctx, t.id.String()):
		return chains.Accepted, ""
	case last.Twice:
		return chains.SlotTaken, "a coin of it is spent, but not by this transaction: " + nodes.Words(last.Reason)
	case last.FeeLow:
		return chains.Underpriced, "the fee is too low: " + nodes.Words(last.Reason)
	default:
		return chains.NotTaken, "the node does not take it: " + nodes.Words(last.Status+" "+last.Reason)
	}
}

// knows reports whether the node has a transaction in its mempool or in a block.
func (s *Sender) knows(ctx context.Context, txid string) bool {
	all, err := s.Status(ctx, []string{txid})
	return err == nil && (all[txid].State == chains.TxPending || all[txid].State == chains.TxMined)
}
