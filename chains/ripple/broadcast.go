package ripple

import (
	"context"
	"encoding/hex"
	"strings"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/ripple/client"
)

// Broadcast sends signed bytes. Rejected needs a proof of our own, whatever the node says. A transaction that the node has in a ledger or
// in the open one is Accepted. A result of tec is one in the open ledger: the fee is taken, and its own ledger decides.
func (s *Sender) Broadcast(ctx context.Context, raw []byte) (outcome chains.Outcome, reason string) {
	o, signature, err := readOrder(raw)
	switch {
	case err != nil:
		return chains.Rejected, "not a transaction of ours: " + err.Error()
	case !o.signedBy(signature):
		return chains.Rejected, "the signature does not fit"
	case (o.network != nil) != (s.cfg.NetworkID > lastUnnamed) || o.network != nil && *o.network != s.cfg.NetworkID:
		return chains.Rejected, "signed for another network"
	}
	err = s.node.Use(ctx, func(n node) (err error) {
		outcome, reason, err = s.broadcast(ctx, n, raw)
		return err
	})
	if err != nil {
		return chains.Unknown, err.Error()
	}
	return outcome, reason
}

// broadcast is Broadcast, as one node answers. An error asks the next node.
func (s *Sender) broadcast(ctx context.Context, n node, raw []byte) (chains.Outcome, string, error) {
	var sent client.Sent
	err := n.Client.Call(ctx, &sent, "submit", map[string]any{"tx_blob": strings.ToUpper(hex.EncodeToString(raw))})
	switch {
	case err != nil && client.Answered(err) && !client.FaultOf(err).Next:
		return chains.NotTaken, err.Error(), nil
	case err != nil:
		return chains.Unknown, "", err
	}
	result, reason := nodes.Words(sent.Result), nodes.Words(sent.Result+": "+sent.Message)
	switch {
	case result == "":
		return chains.Unknown, "the node's answer says nothing", nil
	case result == "tesSUCCESS", result == "terQUEUED", result == "tefALREADY", strings.HasPrefix(result, "tec"):
		return chains.Accepted, "", nil
	case result == "terPRE_SEQ" && over(ctx, n, raw):
		return chains.Expired, reason, nil
	case s.knows(ctx, n, raw):
		return chains.Accepted, "", nil
	case result == "tefPAST_SEQ":
		return chains.SlotTaken, reason, nil
	case result == "tefMAX_LEDGER":
		return chains.Expired, reason, nil
	case result == "telINSUF_FEE_P", result == "telCAN_NOT_QUEUE_FEE", result == "telCAN_NOT_QUEUE_FULL":
		return chains.Underpriced, reason, nil
	default:
		return chains.NotTaken, reason, nil
	}
}

// knows reports whether a node has a transaction in a ledger or in the open one.
func (s *Sender) knows(ctx context.Context, n node, raw []byte) bool {
	now, err := s.state(ctx, n, txid(raw).String())
	return err == nil && now.State != chains.TxMissing
}

// over reports whether the last ledger of a transaction is validated, as a node says. A rippled looks at the number first. So it says
// terPRE_SEQ for ever of a number that is never reached, and still knows the transaction.
func over(ctx context.Context, n node, raw []byte) bool {
	o, _, err := readOrder(raw)
	best, failed := n.Client.Header(ctx, "validated")
	return err == nil && failed == nil && best.Index >= int64(o.last)
}
