package monero

import (
	"cmp"
	"context"
	"encoding/hex"

	"causeway/chains"
	"causeway/chains/monero/client"
	"causeway/chains/nodes"
)

// verdict is a node's answer to a transaction that was sent.
type verdict struct {
	Status  string
	Reason  string
	Twice   bool `json:"double_spend"`
	FeeLow  bool `json:"fee_too_low"`
	Invalid bool `json:"invalid_input"`
	Relayed bool `json:"not_relayed"`
}

// Broadcast sends signed bytes. A transaction known to a node is Accepted. Nodes keep the first of two transactions of a coin, so the
// second one finds its slot taken. Bytes that cannot be read here were signed once, and a node may read them, so they are Unknown.
func (s *Sender) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	t, ok := parseWhole(raw)
	if !ok {
		return chains.Unknown, "not a transaction"
	}
	told, err := s.send(ctx, raw)
	switch {
	case err == nil && told.Status == statusOK:
		return chains.Accepted, ""
	case s.knows(ctx, t.id.String()):
		return chains.Accepted, ""
	case err != nil:
		return chains.Unknown, err.Error()
	case told.Twice:
		return chains.SlotTaken, "a coin of it is spent, but not by this transaction: " + nodes.Words(told.Reason)
	case told.FeeLow:
		return chains.Underpriced, "the fee is too low: " + nodes.Words(told.Reason)
	case told.Invalid:
		return chains.NotTaken, "a coin that it spends, or one that it hides among, is not on the node's chain: " + nodes.Words(told.Reason)
	default:
		return chains.NotTaken, "the node does not take it: " + nodes.Words(told.Status+" "+told.Reason)
	}
}

// statusOK is the status of a node that has done as it was told.
const statusOK = "OK"

// send offers bytes to the first node in order, and to the next while they are not taken: one node alone may lack the block with a coin of
// theirs. It returns the answer of the one that has taken them, or else the first refusal. If a node has given no answer, it may have them:
// that is the error.
func (s *Sender) send(ctx context.Context, raw []byte) (told verdict, err error) {
	var refused *verdict
	var lost error
	err = s.node.Use(ctx, func(n node) error {
		told = verdict{}
		err := n.Client.Post(ctx, &told, "/send_raw_transaction", map[string]any{"tx_as_hex": hex.EncodeToString(raw)})
		switch {
		case err != nil:
			lost = cmp.Or(lost, n.Named(err))
			return err
		case told.Status == statusOK:
			return nil
		case refused == nil:
			first := told
			refused = &first
		}
		return &client.Error{Method: "/send_raw_transaction", Text: "not taken", Answer: true}
	})
	switch {
	case err == nil:
		return told, nil
	case lost != nil || refused == nil:
		return verdict{}, cmp.Or(lost, err)
	default:
		return *refused, nil
	}
}

// knows reports whether the node has a transaction in its mempool or in a block.
func (s *Sender) knows(ctx context.Context, txid string) bool {
	all, err := s.Status(ctx, []string{txid})
	return err == nil && (all[txid].State == chains.TxPending || all[txid].State == chains.TxMined)
}
