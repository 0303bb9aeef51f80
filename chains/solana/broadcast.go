package solana

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/solana/client"
)

// sendQuestion has a node try a transaction out and pass it on once. What it loses is sent again by our own jobs.
type sendQuestion struct {
	Encoding   string `json:"encoding"`
	Commitment string `json:"preflightCommitment"`
	Skip       bool   `json:"skipPreflight"`
	Retries    int    `json:"maxRetries"`
}

// Broadcast sends signed bytes. Rejected needs a proof of our own, whatever the node says. A node that accepts a transaction may still lose it:
// the blocks decide.
func (s *Sender) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	t, err := readTransaction(raw)
	if err != nil {
		return chains.Rejected, err.Error()
	}
	if err := t.verify(); err != nil {
		return chains.Rejected, err.Error()
	}
	var id string
	err = s.ask(ctx, &id, "sendTransaction", base64.StdEncoding.EncodeToString(raw), sendQuestion{"base64", "confirmed", false, 0})
	answer := client.Answered(err)
	switch {
	case err == nil && id == t.id():
		return chains.Accepted, ""
	case err == nil:
		return chains.Unknown, "the node answers with the id " + nodes.Words(id)
	case answer == nil:
		return chains.Unknown, err.Error()
	}
	switch refusal(answer) {
	case "AlreadyProcessed":
		return chains.Accepted, ""
	case "BlockhashNotFound":
		if s.knows(ctx, t.id()) {
			return chains.Accepted, ""
		}
		return chains.Expired, err.Error()
	default:
		return chains.NotTaken, err.Error()
	}
}

// refusal is the error of a trial before a transaction was passed on, where it is a word.
func refusal(answer *client.Error) (word string) {
	var data struct{ Err json.RawMessage }
	if answer.Code != client.Preflight || json.Unmarshal(answer.Data, &data) != nil || json.Unmarshal(data.Err, &word) != nil {
		return ""
	}
	return word
}

// knows reports whether the node has a transaction in a block.
func (s *Sender) knows(ctx context.Context, txid string) bool {
	now, err := s.Status(ctx, []string{txid})
	return err == nil && now[txid].State != chains.TxMissing
}
