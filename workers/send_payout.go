package workers

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/pay"
	"causeway/store"
)

// send sends saved bytes and records what came of it. What is not certain is tried again with the same bytes.
func (w *Workers) send(ctx context.Context, j store.DueJob, n *chains.Network, p *pay.Payout, t *pay.SignedTransaction) error {
	return w.sendOr(ctx, j, n, p, t, w.rejected)
}

// sendOr is send with what is to be done when the network refuses the bytes.
func (w *Workers) sendOr(ctx context.Context, j store.DueJob, n *chains.Network, p *pay.Payout, t *pay.SignedTransaction, rejected refusal) error {
	outcome, reason := n.Sender.Broadcast(ctx, t.Raw)
	return w.answered(ctx, j, n, p, t, outcome, reason, rejected)
}

// answered records what came of sending.
func (w *Workers) answered(ctx context.Context, j store.DueJob, n *chains.Network, p *pay.Payout, t *pay.SignedTransaction, outcome chains.Outcome, reason string, rejected refusal) error {
	switch outcome {
	case chains.Accepted:
		return w.sent(ctx, j, p, t)
	case chains.Rejected:
		return rejected(ctx, j, n, p, t, reason)
	case chains.NonceTaken:
		return w.nonceTaken(ctx, j, n, p, t, reason)
	case chains.Declined, chains.Underpriced: // the node is well, whatever is the matter with this payout
		return fmt.Errorf("%s does not take %s now, and may have it: %s", n.Name, t.Txid, reason)
	default:
		return fmt.Errorf("it is unknown whether %s has %s: %s: %w", n.Name, t.Txid, reason, chains.ErrDown)
	}
}

// nonceTaken looks up what has the nonce of bytes that a network does not take for that, and says so: no higher fee would help.
func (w *Workers) nonceTaken(ctx context.Context, j store.DueJob, n *chains.Network, p *pay.Payout, t *pay.SignedTransaction, reason string) error {
	history, status, err := w.lookUp(ctx, n, p)
	if err != nil {
		return fmt.Errorf("look up what has the nonce of %s, %s: %w", t.Txid, reason, err)
	}
	why := fmt.Errorf("%s does not take %s now, and may have it: %s; it knows none of ours at nonce %d: causeway admin wallet book, once what has it is final",
		n.Name, t.Txid, reason, t.Nonce)
	for i := range history {
		switch other := &history[i]; {
		case !taken(status[other.Txid]):
		case other.Txid == t.Txid: // it has it, whatever it said
			return w.sent(ctx, j, p, t)
		case other.Address == t.Address && other.Nonce == t.Nonce:
			why = fmt.Errorf("%s does not take %s: %s; %s has it, which following decides", n.Name, t.Txid, reason, other.Txid)
		}
	}
	return why
}

// taken reports whether a network has a transaction.
func taken(now chains.TxStatus) bool {
	return now.State == chains.TxPending || now.State == chains.TxMined || now.State == chains.TxReverted
}

// lookUp asks a network for all transactions that were signed for a payout.
func (w *Workers) lookUp(ctx context.Context, n *chains.Network, p *pay.Payout) ([]pay.SignedTransaction, map[string]chains.TxStatus, error) {
	history, err := w.Store.SignedOf(ctx, p.ID)
	if err != nil {
		return nil, nil, err
	}
	txids := make([]string, len(history))
	for i := range history {
		txids[i] = history[i].Txid
	}
	status, err := n.Watcher.Status(ctx, txids)
	return history, status, err
}

// refusal decides what it means that a network refuses bytes.
type refusal func(ctx context.Context, j store.DueJob, n *chains.Network, p *pay.Payout, t *pay.SignedTransaction, reason string) error

// rejectedToo leaves it to a later attempt when a replacement is refused as well: a network that refuses everything would
// have one signed after the other.
func rejectedToo(_ context.Context, _ store.DueJob, n *chains.Network, _ *pay.Payout, t *pay.SignedTransaction, reason string) error {
	return fmt.Errorf("%s refuses %s, which replaces another, as well: %s", n.Name, t.Txid, reason)
}

// sent records that the network has the bytes, and finishes the job, with others that come at the same time.
func (w *Workers) sent(ctx context.Context, j store.DueJob, p *pay.Payout, t *pay.SignedTransaction) error {
	_, err := w.payouts.sent.Do(ctx, sending{j, p, t}, w.recordSent)
	return err
}

// rejected decides what a refusal means. While another transaction of the payout is with the network, that one decides.
// When the network says of every one that it will never take it, the payout is failed. Else the nonce is spent by a
// transaction that moves nothing, whose finality is the proof. A payout that is completed or refunded already, and comes
// back because its network undid what was final, is for a person to look at.
func (w *Workers) rejected(ctx context.Context, j store.DueJob, n *chains.Network, p *pay.Payout, t *pay.SignedTransaction, reason string) error {
	history, status, err := w.lookUp(ctx, n, p)
	if err != nil {
		return fmt.Errorf("look up refused %s: %w", t.Txid, err)
	}
	refused := 0
	for i := range history {
		switch now := status[history[i].Txid]; {
		case now.State == chains.TxRefused:
			refused++
		case taken(now):
			if history[i].Txid == t.Txid { // it has it, whatever it said
				return w.sent(ctx, j, p, t)
			}
			return w.giveWay(ctx, j, p, t, &history[i])
		}
	}
	if !p.Status.May(pay.PayoutFailed) {
		return fmt.Errorf("%s refuses %s of a payout that is %s: %s", n.Name, t.Txid, p.Status, reason)
	}
	if refused == len(history) {
		return w.refuse(ctx, j, p, reason, history...)
	}
	return w.replace(ctx, j, n, p, t, history, pay.PurposeCancel)
}

// giveWay marks refused bytes and leaves the payout to the transaction that the network has. That one is sent, whether we
// were told so or not: from now on following the network sends it again should it vanish. All transactions of a payout that had
// ended stay open until one of them is final again: what the network had mined, it may mine once more.
func (w *Workers) giveWay(ctx context.Context, j store.DueJob, p *pay.Payout, t, to *pay.SignedTransaction) error {
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if p.Status.May(pay.PayoutFailed) {
			if _, err := tx.MarkSigned(ctx, t.Network, t.Txid, t.State, pay.TxRejected, nil); err != nil {
				return err
			}
		}
		if _, err := tx.MarkSigned(ctx, to.Network, to.Txid, pay.TxSigned, pay.TxSent, nil); err != nil { // no effect: it is already
			return err
		}
		return fenced(tx.FinishJob(ctx, j))
	})
}
