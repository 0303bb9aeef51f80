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
	got, down := s.send(ctx, raw, t)
	switch {
	case got.verdict == client.Taken:
		return chains.Accepted, ""
	case got.why == nil:
		return chains.Unknown, down.Error()
	case got.verdict == client.Unanswered:
		return chains.Unknown, got.why.Error()
	case got.verdict == client.Spent:
		return chains.SlotTaken, "a coin of it is not there, and it is in no block that was read: " + got.why.Error()
	case got.verdict == client.Over:
		return chains.Expired, got.why.Error()
	case got.verdict == client.Underpriced:
		return chains.Underpriced, got.why.Error()
	default:
		return chains.NotTaken, got.why.Error()
	}
}

// sent is what the nodes have said to a transaction.
type sent struct {
	verdict client.Verdict
	why     error // nil if it was taken, or if no node was asked
}

// send sends bytes to the first node in order, and to the next while they are not taken: one node alone may lack the transaction whose coin is
// spent. What one node knows is taken. Else the verdict is the lack of an answer, since that node may have the bytes, or the first refusal.
func (s *Sender) send(ctx context.Context, raw []byte, t *read) (got sent, down error) {
	down = s.nodes.Use(ctx, func(n node) error {
		verdict, err := n.Client.submit(ctx, raw, t)
		if verdict == client.Taken {
			got = sent{verdict: client.Taken}
			return nil
		}
		if got.why == nil || verdict == client.Unanswered && got.verdict != client.Unanswered {
			got = sent{verdict, n.Named(err)}
		}
		return err
	})
	return got, down
}

// submit hands bytes in to one node. What the node refuses and knows is taken; what it may have is not answered.
func (p *peer) submit(ctx context.Context, raw []byte, t *read) (client.Verdict, error) {
	var txid string
	verdict := client.Unanswered
	failed := p.asker.Use(ctx, func(session *client.Session) (err error) {
		txid, verdict, err = session.Submit(ctx, raw)
		return err
	})
	switch {
	case verdict == client.Taken && txid != t.id.String():
		return client.Unanswered, odd("the node answers with the id %.64q", txid)
	case verdict == client.Taken, verdict == client.Unanswered:
		return verdict, failed
	}
	known, err := p.knows(ctx, t)
	switch {
	case err != nil:
		return client.Unanswered, fmt.Errorf("%w; whether it has it: %w", failed, err)
	case known:
		return client.Taken, nil
	default:
		return verdict, failed
	}
}

// knows reports whether the node has a transaction in its mempool, in a block, or an output of it among the unspent ones.
func (p *peer) knows(ctx context.Context, t *read) (bool, error) {
	id := t.id.String()
	all, err := p.status(ctx, []string{id}, 0)
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
	err = p.asker.Use(ctx, func(session *client.Session) (err error) {
		made, err = session.CoinsNamed(ctx, named)
		return err
	})
	return len(made) > 0, err
}
