package payouts

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
	"causeway/workers/settlement"
)

// send sends saved bytes and records what came of it. What is not certain is tried again with the same bytes.
func (w *Worker) send(ctx context.Context, b *broadcast, t *pay.SignedTransaction) error {
	return w.sendWith(ctx, b, t, w.handleRejection)
}

// sendWith is send with what is to be done when the network rejects the bytes.
func (w *Worker) sendWith(ctx context.Context, b *broadcast, t *pay.SignedTransaction, rejected onRejection) error {
	return w.handleOutcome(ctx, b, t, b.broadcastBytes(ctx, t), rejected)
}

// verdict is what a network says of bytes.
type verdict struct {
	outcome chains.Outcome
	reason  string
}

// broadcastBytes sends saved bytes.
func (b *broadcast) broadcastBytes(ctx context.Context, t *pay.SignedTransaction) (v verdict) {
	v.outcome, v.reason = b.network.Sender.Broadcast(ctx, t.Raw)
	return v
}

// handleOutcome records what came of sending.
func (w *Worker) handleOutcome(ctx context.Context, b *broadcast, t *pay.SignedTransaction, v verdict, rejected onRejection) error {
	switch v.outcome {
	case chains.Accepted:
		return w.recordAccepted(ctx, b, t)
	case chains.Rejected:
		return rejected(ctx, b, t, v.reason)
	case chains.NonceTaken:
		return w.nonceTaken(ctx, b, t, v.reason)
	case chains.NotTaken, chains.Underpriced: // the node is well, whatever is the matter with this payout
		return fmt.Errorf("%s does not take %s now, and may have it: %s", b.network.Name, t.Txid, v.reason)
	default:
		return fmt.Errorf("it is unknown whether %s has %s: %s: %w", b.network.Name, t.Txid, v.reason, chains.ErrDown)
	}
}

// nonceTaken looks up the transaction that has the nonce of t, which a network does not take for its nonce, and names it: a higher fee
// would not help.
func (w *Worker) nonceTaken(ctx context.Context, b *broadcast, t *pay.SignedTransaction, reason string) error {
	status, err := w.lookUp(ctx, b)
	if err != nil {
		return fmt.Errorf("look up what has the nonce of %s, %s: %w", t.Txid, reason, err)
	}
	why := fmt.Errorf("%s does not take %s: %s; it knows none of our transactions at nonce %d: find the transaction that has this nonce "+
		"on an explorer and, once it is final, run causeway admin wallet book %s TXID", b.network.Name, t.Txid, reason, t.Nonce, b.network.Name)
	for i := range b.history {
		switch other := &b.history[i]; {
		case !taken(status[other.Txid]):
		case other.Txid == t.Txid: // it has it, whatever it said
			return w.recordAccepted(ctx, b, t)
		case other.Address == t.Address && other.Nonce == t.Nonce:
			why = fmt.Errorf("%s does not take %s: %s; our transaction %s has its nonce: the follower ends the payout when one of them is final",
				b.network.Name, t.Txid, reason, other.Txid)
		}
	}
	return why
}

// taken reports whether a network has a transaction.
func taken(now chains.TxStatus) bool {
	return now.State == chains.TxPending || now.State == chains.TxMined || now.State == chains.TxReverted
}

// lookUp asks a network for all transactions that were signed for a payout, which it reads again.
func (w *Worker) lookUp(ctx context.Context, b *broadcast) (status map[string]chains.TxStatus, err error) {
	if b.history, err = w.Store.SignedOf(ctx, b.payout.ID); err != nil {
		return nil, err
	}
	txids := make([]string, len(b.history))
	for i := range b.history {
		txids[i] = b.history[i].Txid
	}
	return b.network.Watcher.Status(ctx, txids)
}

// onRejection decides what it means that a network rejects bytes.
type onRejection func(ctx context.Context, b *broadcast, t *pay.SignedTransaction, reason string) error

// rejectedToo leaves it to a later attempt when a replacement is rejected as well: a network that rejects everything would
// have one signed after the other.
func rejectedToo(_ context.Context, b *broadcast, t *pay.SignedTransaction, reason string) error {
	return fmt.Errorf("%s rejects %s, which replaces another, as well: %s", b.network.Name, t.Txid, reason)
}

// recordAccepted records that the network has the bytes, and finishes the job, with others that come at the same time.
func (w *Worker) recordAccepted(ctx context.Context, b *broadcast, t *pay.SignedTransaction) error {
	_, err := w.groups.sent.Do(ctx, toRecord{b.job, b.payout, t}, w.recordSent)
	return err
}

// handleRejection decides what a rejection means. While another transaction of the payout is with the network, that one decides.
// When the network says of every one that it will never take it, the payout is failed. Else the nonce is spent by a
// transaction that moves nothing, whose finality is the proof. A payout that is completed or refunded already comes back because its
// network undid what was final: another transaction of it with the same outcome is sent then, on the same nonce, which the network had
// not rejected; without one it is for a person to look at.
func (w *Worker) handleRejection(ctx context.Context, b *broadcast, t *pay.SignedTransaction, reason string) error {
	status, err := w.lookUp(ctx, b)
	if err != nil {
		return fmt.Errorf("look up rejected %s: %w", t.Txid, err)
	}
	rejected := 0
	for i := range b.history {
		one := &b.history[i]
		switch now := status[one.Txid]; {
		case now.State == chains.TxRejected && one.State != pay.TxMined: // what is in a block is for its follower to decide
			rejected++
		case taken(now):
			if one.Txid == t.Txid { // it has it, whatever it said
				return w.recordAccepted(ctx, b, t)
			}
			return w.giveWay(ctx, b, t, one)
		}
	}
	if !b.payout.Status.May(pay.PayoutFailed) {
		other := settlement.NewestOpen(b.history, func(o *pay.SignedTransaction) bool {
			return o.Txid != t.Txid && o.Purpose == t.Purpose && o.Address == t.Address && o.Nonce == t.Nonce &&
				status[o.Txid].State != chains.TxRejected
		})
		if other != nil {
			return w.send(ctx, b, other)
		}
		return fmt.Errorf("%s rejects %s of a payout that is %s: %s", b.network.Name, t.Txid, b.payout.Status, reason)
	}
	if rejected == len(b.history) {
		return w.failUntaken(ctx, b.job, b.payout, reason, b.history...)
	}
	return w.replace(ctx, b, t, pay.PurposeCancel)
}

// giveWay marks rejected bytes and leaves the payout to the transaction that the network has. That one is sent, whether we
// were told so or not: from now on following the network sends it again should it vanish. All transactions of a payout that had
// ended stay open until one of them is final again: what the network had mined, it may mine once more.
func (w *Worker) giveWay(ctx context.Context, b *broadcast, t, to *pay.SignedTransaction) error {
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if b.payout.Status.May(pay.PayoutFailed) {
			if _, err := tx.MarkSigned(ctx, t.Network, t.Txid, t.State, pay.TxRejected, nil); err != nil {
				return err
			}
		}
		if _, err := tx.MarkSigned(ctx, to.Network, to.Txid, pay.TxSigned, pay.TxSent, nil); err != nil { // no effect: it is already
			return err
		}
		return desk.Fenced(tx.FinishJob(ctx, b.job))
	})
}
