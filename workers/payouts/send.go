package payouts

import (
	"context"
	"errors"
	"fmt"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
	"causeway/workers/settlement"
)

// send sends saved bytes and records the outcome. An uncertain one is tried again with the same bytes.
func (w *Worker) send(ctx context.Context, b *broadcast, t *pay.SignedTransaction) error {
	return w.sendWith(ctx, b, t, w.handleRejection)
}

// sendWith is send with a function to be called when the network rejects the bytes.
func (w *Worker) sendWith(ctx context.Context, b *broadcast, t *pay.SignedTransaction, rejected onRejection) error {
	return w.handleOutcome(ctx, b, t, b.broadcastBytes(ctx, t), rejected)
}

// verdict is a network's answer to bytes.
type verdict struct {
	outcome chains.Outcome
	reason  string
}

// broadcastBytes sends saved bytes. The payouts of one transaction send it each: a network has it already then.
func (b *broadcast) broadcastBytes(ctx context.Context, t *pay.SignedTransaction) (v verdict) {
	v.outcome, v.reason = b.network.Sender.Broadcast(ctx, t.Raw)
	return v
}

// handleOutcome records the outcome of sending.
func (w *Worker) handleOutcome(ctx context.Context, b *broadcast, t *pay.SignedTransaction, v verdict, rejected onRejection) error {
	switch v.outcome {
	case chains.Accepted:
		return w.recordAccepted(ctx, b, t)
	case chains.Rejected:
		return rejected(ctx, b, t, v.reason)
	case chains.SlotTaken:
		return w.slotTaken(ctx, b, t, v.reason)
	case chains.Expired:
		if b.network.Exclusion == chains.ByExpiry {
			return w.awaitDeath(ctx, b, t, v.reason)
		}
		return w.replaceExpired(ctx, b, t, v.reason)
	case chains.NotTaken, chains.Underpriced: // the node is well, whatever is the matter with this payout
		return fmt.Errorf("%s does not take %s now, and may have it: %s", b.network.Name, t.Txid, v.reason)
	default:
		return fmt.Errorf("it is unknown whether %s has %s: %s: %w", b.network.Name, t.Txid, v.reason, chains.ErrDown)
	}
}

// replaceExpired signs another transaction for the slot of one whose time is over for a node. The slot excludes, so no proof is needed: if
// the node was wrong, one of the two is mined. What cannot be paid any more gives its slot to a transaction that moves nothing. An attempt
// replaces once, since a node may say this of everything. Change of t may be leased: its slot is dead once the other one is final.
func (w *Worker) replaceExpired(ctx context.Context, b *broadcast, t *pay.SignedTransaction, reason string) error {
	if b.replaced {
		return fmt.Errorf("the time of %s is over for a node of %s as soon as it is signed: %s", t.Txid, b.network.Name, reason)
	}
	if newer := settlement.Newer(b.history, t); newer != nil && b.network.Exclusion == chains.ByCoins { // t has leased change, and was sent first
		return w.send(ctx, b, newer)
	}
	b.replaced = true
	err := w.replace(ctx, b, t, t.Purpose)
	if errors.Is(err, chains.ErrUnpayable) && t.Purpose == pay.PurposePay && b.payout.Status.May(pay.PayoutFailed) {
		return w.replace(ctx, b, t, pay.PurposeCancel)
	}
	return err
}

// slotTaken names the transaction holding the slot of t, if it is ours, when a network does not take t for its slot: a higher fee
// would not help.
func (w *Worker) slotTaken(ctx context.Context, b *broadcast, t *pay.SignedTransaction, reason string) error {
	status, err := w.lookUp(ctx, b)
	if err != nil {
		return fmt.Errorf("look up what has the slot of %s, %s: %w", t.Txid, reason, err)
	}
	why := fmt.Errorf("%s does not take %s: %s; it knows none of our transactions at nonce %d: find the transaction that has this nonce "+
		"on an explorer and, once it is final, run causeway admin wallet book %s TXID", b.network.Name, t.Txid, reason, t.Nonce, b.network.Name)
	for i := range b.history {
		switch other := &b.history[i]; {
		case !settlement.Taken(status[other.Txid]):
		case other.Txid == t.Txid: // it has it, whatever it said
			return w.recordAccepted(ctx, b, t)
		case other.Address == t.Address && other.Nonce == t.Nonce:
			why = fmt.Errorf("%s does not take %s: %s; our transaction %s has its nonce: the follower ends the payout when one of them is final",
				b.network.Name, t.Txid, reason, other.Txid)
		}
	}
	return why
}

// lookUp reads the transactions signed for a payout again, and asks the network for all of them.
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

// onRejection decides about rejected bytes.
type onRejection func(ctx context.Context, b *broadcast, t *pay.SignedTransaction, reason string) error

// rejectedToo leaves a replacement rejected as well to a later attempt: a network rejecting everything would have one signed after
// the other.
func rejectedToo(_ context.Context, b *broadcast, t *pay.SignedTransaction, reason string) error {
	return fmt.Errorf("%s rejects %s, which replaces another, as well: %s", b.network.Name, t.Txid, reason)
}

// recordAccepted records that the network has the bytes, and finishes the job, with others coming at the same time.
func (w *Worker) recordAccepted(ctx context.Context, b *broadcast, t *pay.SignedTransaction) error {
	_, err := w.groups.sent.Do(ctx, toRecord{b.job, b.payout, t}, w.recordSent)
	return err
}

// handleRejection decides about a rejection. While another transaction of the payout is with the network, it leaves the payout to
// that one. If the network rejects all of them for good, it fails the payout. Else the nonce is spent by a transaction moving nothing;
// its finality is the proof. A completed or refunded payout comes back because its network undid a final transaction: then another
// one with the same outcome is sent, on the same nonce and not rejected by the network; without one a person looks at it.
func (w *Worker) handleRejection(ctx context.Context, b *broadcast, t *pay.SignedTransaction, reason string) error {
	status, err := w.lookUp(ctx, b)
	if err != nil {
		return fmt.Errorf("look up rejected %s: %w", t.Txid, err)
	}
	rejected := 0
	for i := range b.history {
		one := &b.history[i]
		switch now := status[one.Txid]; {
		case one.State == pay.TxExpired, now.State == chains.TxRejected && one.State != pay.TxMined: // a mined one is for its follower to decide
			rejected++
		case settlement.Taken(now):
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
	if b.network.Exclusion == chains.ByExpiry {
		return fmt.Errorf("%s rejects %s, and others signed for the payout may be carried out: it waits for their death", b.network.Name, t.Txid)
	}
	return w.replace(ctx, b, t, pay.PurposeCancel)
}

// giveWay marks rejected bytes and leaves the payout to the transaction known to the network. This one counts as sent, whether the
// network told us so or not: from now on following the network sends it again should it vanish. All transactions of a payout that had
// ended stay open until one of them is final again: the network may mine again any that it had mined.
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
