package solana

import (
	"cmp"
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
	refused, err := s.send(ctx, raw, t.id())
	switch {
	case err != nil:
		return chains.Unknown, err.Error()
	case refused == nil:
		return chains.Accepted, ""
	case refusal(refused) != "BlockhashNotFound":
		return chains.NotTaken, refused.Error()
	case s.knows(ctx, t.id()):
		return chains.Accepted, ""
	default:
		return chains.Expired, refused.Error()
	}
}

// send sends bytes to the first node in order, and to the next while they are not taken. It returns why the first one refuses, nil if one has
// them. If a node has given no answer, this is the error: it may have the bytes.
func (s *Sender) send(ctx context.Context, raw []byte, id string) (refused *client.Error, lost error) {
	taken := false
	down := s.use(ctx, func(v view) error {
		err := v.send(ctx, raw, id)
		answer := client.Answered(err)
		switch {
		case err == nil:
			taken = true
		case answer == nil:
			lost = cmp.Or(lost, v.node.Named(err))
		case refusal(answer) == "AlreadyProcessed":
			taken, err = true, nil
		default:
			refused = cmp.Or(refused, answer)
			if !faultOf(err).Leave {
				err = errRefused
			}
		}
		return err
	})
	switch {
	case taken:
		return nil, nil
	case lost != nil:
		return nil, lost
	case refused != nil:
		return refused, nil
	default:
		return nil, down
	}
}

// send sends bytes to one node.
func (v view) send(ctx context.Context, raw []byte, id string) error {
	var told string
	err := v.Ask(ctx, &told, "sendTransaction", base64.StdEncoding.EncodeToString(raw), sendQuestion{"base64", "confirmed", false, 0})
	if err == nil && told != id {
		err = odd("the node answers with the id %s", nodes.Words(told))
	}
	return err
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
