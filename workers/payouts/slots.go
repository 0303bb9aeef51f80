package payouts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/desk"
	"causeway/workers/guard"
	"causeway/workers/settlement"
)

// AwaitsBlocks reports whether the next blocks alone end a failure: each coin of the wallet is under way, its network takes no further
// transaction before, or the books are not sure of all that was signed before. It is tried again soon.
func AwaitsBlocks(err error) bool {
	return errors.Is(err, settlement.ErrNoCoins) || errors.Is(err, guard.ErrUnsure) || errors.Is(err, errAhead)
}

// spend is one transaction for payouts to be signed.
type spend struct {
	of    []toSign
	draft chains.Draft
}

// spendsOf shares out payouts of one network among as few transactions as the network allows.
func spendsOf(ctx context.Context, group []toSign) ([]spend, error) {
	n, spends := group[0].network, make([]spend, 0, len(group))
	for of := range slices.Chunk(group, max(1, n.Batch)) {
		s := spend{of, of[0].draft}
		if len(of) > 1 {
			orders := make([]chains.Order, len(of))
			for i := range of {
				orders[i] = orderOf(n, of[i].payout)
			}
			var err error
			if s.draft, err = n.Sender.Prepare(ctx, chains.Spend{Orders: orders}); err != nil {
				return nil, fmt.Errorf("prepare %d payouts together on %s from %s: %w", len(of), n.Name, n.HotAddress(), err)
			}
		}
		spends = append(spends, s)
	}
	return spends, nil
}

// nextByExpiry goes on with a payout already signed, where transactions exclude each other by time alone. It sends the newest bytes
// again, and signs others only after the recorded death of all before. An operator stops the payout by waiting for this death.
func (w *Worker) nextByExpiry(ctx context.Context, b *broadcast) error {
	p := b.payout
	newest, open := settlement.NextToSend(b.history, p), p.Status.May(pay.PayoutFailed)
	if settlement.AllDead(b.history) {
		if done, err := w.afterDeath(ctx, b); done {
			return err
		}
	}
	switch {
	case newest == nil, open && p.Cancelling, p.Status == pay.PayoutRefunded:
		return settlement.LeaveToFollower(ctx, w.Store, b.job, p.ID, b.history, newest)
	case slices.ContainsFunc(b.history, func(t pay.SignedTransaction) bool { return t.Txid != newest.Txid && !t.Dead() }):
		return settlement.LeaveToFollower(ctx, w.Store, b.job, p.ID, b.history, nil) // a reorganisation undid a death, and both could be mined
	default:
		return w.send(ctx, b, newest)
	}
}

// afterDeath goes on with a payout whose transactions are all dead. It ends if an operator stops it, and is signed again if it is still to be
// paid. Done says that it was one of these.
func (w *Worker) afterDeath(ctx context.Context, b *broadcast) (done bool, err error) {
	switch open := b.payout.Status.May(pay.PayoutFailed); {
	case open && b.payout.Cancelling:
		return true, w.failDead(ctx, b, settlement.Cancelled)
	case open, completedBy(b.history, b.payout):
		return true, w.signAgain(ctx, b)
	default:
		return false, nil
	}
}

// nextByCoins goes on with a payout already signed, where coins exclude. After the recorded death of all its transactions it is signed again
// in another slot. If a reorganisation has undone this death, two slots of the payout could be mined, or of another one in the same
// transaction, and nothing is sent.
func (w *Worker) nextByCoins(ctx context.Context, b *broadcast) error {
	if settlement.Died(b.history) {
		if done, err := w.afterDeath(ctx, b); done {
			return err
		}
	}
	p := b.payout
	if newest := settlement.NextToSend(b.history, p); newest != nil {
		alive, err := w.Store.AliveElsewhere(ctx, newest.Network, newest.Txid)
		if err != nil {
			return err
		}
		if alive {
			return settlement.LeaveToFollower(ctx, w.Store, b.job, p.ID, b.history, nil)
		}
	}
	needed, err := settlement.ChangeSpent(ctx, w.Store, b.network, b.history)
	if err != nil {
		return err
	}
	if needed != nil {
		return w.send(ctx, b, needed)
	}
	return w.nextInSlot(ctx, b)
}

// completedBy reports whether one of the transactions had completed a payout, before its network undid it.
func completedBy(signed []pay.SignedTransaction, p *pay.Payout) bool {
	return p.Status == pay.PayoutCompleted && slices.ContainsFunc(signed, func(t pay.SignedTransaction) bool { return t.Txid == *p.Txid })
}

// stillDead fails unless every transaction of a payout is dead, and stays so until the transaction ends.
func stillDead(ctx context.Context, tx *store.Store, p *pay.Payout) error {
	rows, all, err := tx.LockSlot(ctx, p.ID)
	return desk.Fenced(all && settlement.AllDead(rows), err)
}

// failDead fails a payout that an operator stops, or that cannot be paid any more: the network's blocks prove that nothing signed for it
// was carried out.
func (w *Worker) failDead(ctx context.Context, b *broadcast, reason string) error {
	return w.Record(ctx, func(tx *store.Store) ([]tasks.Job, error) {
		if err := stillDead(ctx, tx, b.payout); err != nil {
			return nil, err
		}
		ring, err := settlement.Fail(ctx, tx, b.payout, reason)
		if err != nil {
			return nil, err
		}
		return ring, desk.Fenced(tx.FinishJob(ctx, b.job))
	})
}

// signAgain signs another transaction in the slot of dead ones, or in a new one where coins exclude, saves the bytes, and only then sends
// them.
func (w *Worker) signAgain(ctx context.Context, b *broadcast) error {
	n, p := b.network, b.payout
	last := &b.history[len(b.history)-1]
	if last.Address != n.Hot && n.Exclusion == chains.ByExpiry {
		return fmt.Errorf("the hot wallet is %s now, and %s has signed: only a signer with the seed of that time can", n.Hot, last.Address)
	}
	if err := w.Guard.AsSealed(ctx, n, p); err != nil {
		return err
	}
	if err := w.maySign(ctx, n, p, pay.PurposePay); err != nil {
		return err
	}
	draft, err := n.Sender.Prepare(ctx, chains.Spend{Orders: []chains.Order{orderOf(n, p)}})
	if errors.Is(err, chains.ErrUnpayable) && p.Status.May(pay.PayoutFailed) {
		return w.failDead(ctx, b, err.Error())
	}
	if err != nil {
		return fmt.Errorf("prepare again on %s from %s: %w", n.Name, n.HotAddress(), err)
	}
	var rows []*pay.SignedTransaction
	err = w.Store.InTx(ctx, func(tx *store.Store) error {
		if err := stillDead(ctx, tx, p); err != nil {
			return err
		}
		now, err := tx.PayoutForUpdate(ctx, p.ID)
		wanted := err == nil && (now.Status.May(pay.PayoutFailed) && !now.Cancelling || completedBy(b.history, now))
		if err := desk.Fenced(wanted, err); err != nil {
			return err
		}
		if err := desk.Start(ctx, tx, b.job); err != nil {
			return err
		}
		if err := settlement.WasHeld(ctx, tx, p); err != nil {
			return err
		}
		turn, err := tx.BeginAgain(ctx, n.Name, n.Hot, p.Asset, settlement.KindOf(n))
		if err != nil {
			return err
		}
		if err := mayGoOn(turn, n, p); err != nil {
			return err
		}
		if err := unpaid(turn.Doubtful, n, p); err != nil {
			return err
		}
		slot, err := slotAgain(ctx, tx, n, turn, toSign{n, p, draft}, last.Nonce)
		if err != nil {
			return err
		}
		if rows, err = signDraft(n, []purposed{{p, pay.PurposePay}}, draft, slot); err != nil {
			return err
		}
		return tx.AddSigned(ctx, rows)
	})
	if err != nil {
		return err
	}
	return w.send(ctx, b, rows[0])
}

// slotAgain returns the slot for a payout whose transactions are all dead. Where time alone excludes it is the last one. Where coins do, it
// is a new one: the first coin of the last one can never exist.
func slotAgain(ctx context.Context, tx *store.Store, n *chains.Network, turn *store.SigningTurn, s toSign, last int64) (slot chains.Slot, err error) {
	if n.Exclusion != chains.ByCoins {
		return chains.Slot{Number: uint64(last)}, affordable(turn, n, s) //nolint:gosec // it came out as a uint64
	}
	number, err := tx.NextSlot(ctx, n.Name, n.Hot)
	if err != nil {
		return slot, err
	}
	free, err := tx.HoldCoins(ctx, n.Name, n.Hot)
	if err != nil {
		return slot, err
	}
	slot.Number = uint64(number) //nolint:gosec // numbers count up from zero
	slot.Coins, _, err = settlement.LeaseForPayouts(ctx, tx, n, s.draft, number, free)
	return slot, err
}

// awaitDeath leaves a transaction to its follower, when a node says that its time is over. The node's word is no proof.
func (w *Worker) awaitDeath(ctx context.Context, b *broadcast, t *pay.SignedTransaction, reason string) error {
	why := fmt.Sprintf("the time of %s is over for a node of %s: %s; it is signed again when no followed block can have it", t.Txid, b.network.Name, reason)
	return desk.Fenced(w.Store.RetryJob(ctx, b.job, settlement.DeathPause, why))
}
