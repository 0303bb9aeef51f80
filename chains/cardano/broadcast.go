package cardano

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/chains/cardano/client"
)

// Broadcast sends signed bytes. A transaction known to the node is Accepted: its coins are spent, by itself. Nothing is ever Rejected but what is
// no transaction: what a node refuses, another state of the ledger may take.
func (s *Sender) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	t, err := parse(raw)
	if err != nil {
		return chains.Rejected, "not a transaction: " + err.Error()
	}
	var txid string
	verdict := client.Unanswered
	failed := s.asker.Use(ctx, func(session *client.Session) (err error) {
		txid, verdict, err = session.Submit(ctx, raw)
		return err
	})
	if verdict == client.Taken {
		if txid != t.id.String() {
			return chains.Unknown, fmt.Sprintf("the node answers with the id %.64q", txid)
		}
		return chains.Accepted, ""
	}
	if verdict == client.Unanswered {
		return chains.Unknown, failed.Error()
	}
	known, err := s.knows(ctx, t)
	switch {
	case err != nil:
		return chains.Unknown, fmt.Sprintf("%s; whether it has it: %s", failed, err)
	case known:
		return chains.Accepted, ""
	case verdict == client.Spent:
		return chains.SlotTaken, "a coin of it is not there, and it is in no block that was read: " + failed.Error()
	case verdict == client.Over:
		return chains.Expired, failed.Error()
	case verdict == client.Underpriced:
		return chains.Underpriced, failed.Error()
	default:
		return chains.NotTaken, failed.Error()
	}
}

// knows reports whether the node has a transaction in its mempool, in a block, or an output of it among the unspent ones.
func (s *Sender) knows(ctx context.Context, t *read) (bool, error) {
	id := t.id.String()
	all, err := s.Status(ctx, []string{id})
	if err != nil {
		return false, err
	}
	if now := all[id].State; now == chains.TxPending || now == chains.TxMined {
		return true, nil
	}
	named := make([]client.Reference, len(t.Outputs))
	for i := range named {
		named[i].Transaction.ID, named[i].Index = id, uint32(i)
	}
	var made []client.Output
	err = s.asker.Use(ctx, func(session *client.Session) (err error) {
		made, err = session.CoinsNamed(ctx, named)
		return err
	})
	return len(made) > 0, err
}
