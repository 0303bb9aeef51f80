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
	case chains.Declined: // the node is well, whatever is the matter with this payout
		return fmt.Errorf("%s does not take %s now, and may have it: %s", n.Name, t.Txid, reason)
	default:
		return fmt.Errorf("it is unknown whether %s has %s: %s: %w", n.Name, t.Txid, reason, chains.ErrDown)
	}
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
	history, err := w.Store.SignedOf(ctx, p.ID)
	if err != nil {
		return err
	}
	txids := make([]string, len(history))
	for i := range history {
		txids[i] = history[i].Txid
	}
	status, err := n.Watcher.Status(ctx, txids)
	if err != nil {
		return fmt.Errorf("look up refused %s: %w", t.Txid, err)
	}
	refused := 0
	for i := range history {
		switch status[history[i].Txid].State {
		case chains.TxRefused:
			refused++
		case chains.TxPending, chains.TxMined, chains.TxReverted:
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
