package client

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
)

// Verdict is what a node says to a transaction.
type Verdict int

// The verdicts.
const (
	Taken       Verdict = iota
	Spent               // an input is there no more, or not yet
	Over                // its time is over, or has not begun
	Underpriced         // its fee is too small
	Refused             // any other reason
	Unanswered          // nobody knows whether the node has it
)

// Codes of submitTransaction.
const (
	unknownOutputs  = 3117
	outsideInterval = 3118
	feeTooSmall     = 3122
	mempoolError    = 3997
)

// allSpent is what a node says of a transaction whose inputs are all unknown, without a code of its own.
const allSpent = "All inputs are spent. Transaction has probably already been included"

// Submit hands in a transaction, and returns the id that the node gives it.
func (s *Session) Submit(ctx context.Context, raw []byte) (txid string, v Verdict, err error) {
	var told struct{ Transaction struct{ ID string } }
	err = s.Ask(ctx, &told, "submitTransaction", map[string]any{"transaction": map[string]any{"cbor": hex.EncodeToString(raw)}})
	return told.Transaction.ID, verdictOf(err), err
}

func verdictOf(err error) Verdict {
	var told *Error
	if err == nil {
		return Taken
	}
	if !errors.As(err, &told) {
		return Unanswered
	}
	switch told.Code {
	case unknownOutputs:
		return Spent
	case outsideInterval:
		return Over
	case feeTooSmall:
		return Underpriced
	case mempoolError:
		var data struct{ Error string }
		if json.Unmarshal(told.Data, &data) == nil && data.Error == allSpent {
			return Spent
		}
		return Refused
	default:
		return Refused
	}
}
