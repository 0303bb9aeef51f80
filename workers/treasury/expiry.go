package treasury

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
	"causeway/workers/settlement"
)

// undone is the reason of a move that was done, and whose transaction a reorganisation has undone for good.
const undone = "a reorganisation has undone it, and its time is over"

// nextByExpiry goes on with a signed move where transactions exclude each other by time alone. It sends the newest bytes again, and signs
// others only after the recorded death of all before. A move that a person stops, or that leads to a former cold address, waits for this
// death, and so does one that has failed: nothing takes its slot.
func (w *Worker) nextByExpiry(ctx context.Context, m *move) error {
	newest := settlement.NewestOpen(m.history, func(*pay.SignedTransaction) bool { return true })
	status := m.row.Status
	switch {
	case settlement.AllDead(m.history) && status.Open():
		return w.afterDeath(ctx, m)
	case settlement.AllDead(m.history):
		return w.failDead(ctx, m, undone)
	case newest == nil, settlement.AnyMined(m.history):
		return settlement.LeaveToFollower(ctx, w.Store, m.job, m.row.ID, m.history, nil)
	case m.stops(ctx), status == pay.MoveFailed, status == pay.MoveCancelled:
		return settlement.LeaveToFollower(ctx, w.Store, m.job, m.row.ID, m.history, newest)
	case slices.ContainsFunc(m.history, func(t pay.SignedTransaction) bool { return t.Txid != newest.Txid && !t.Dead() }):
		return settlement.LeaveToFollower(ctx, w.Store, m.job, m.row.ID, m.history, nil) // a reorganisation undid a death, and both could be mined
	default:
		return w.send(ctx, m, newest)
	}
}

// afterDeath decides about an open move of which everything signed is dead: it is signed again, if it can still be made. Else it has
// failed, and the rules plan another one.
func (w *Worker) afterDeath(ctx context.Context, m *move) error {
	spend, err := m.spend(ctx)
	switch {
	case m.row.Cancelling:
		return w.failDead(ctx, m, settlement.Cancelled)
	case errors.Is(err, errElsewhere):
		return w.failDead(ctx, m, err.Error())
	case err != nil:
		return err
	}
	if err := w.maySign(ctx, m); err != nil {
		return err
	}
	if err := w.readFinal(ctx, m); err != nil {
		return err
	}
	if err := m.readLeast(ctx); err != nil {
		return err
	}
	if why, err := w.unasked(ctx, m); err != nil {
		return err
	} else if why != "" {
		return w.failDead(ctx, m, why)
	}
	draft, err := m.network.Sender.Prepare(ctx, spend)
	var short *chains.Short
	switch {
	case m.row.Kind == pay.MoveSweep && errors.As(err, &short), errors.Is(err, chains.ErrUnpayable):
		return w.failDead(ctx, m, err.Error())
	case err != nil:
		return fmt.Errorf("prepare a %s again on %s from %s: %w", m.row.Kind, m.network.Name, m.from(), err)
	}
	t, err := w.signAgain(ctx, m, draft)
	if few := errFew(0); errors.As(err, &few) {
		return w.failDead(ctx, m, few.Error())
	}
	if err != nil {
		return err
	}
	m.history = append(m.history, *t)
	return w.send(ctx, m, t)
}

// signAgain signs another transaction in the slot of dead ones, or in a new one where coins exclude, and keeps the bytes.
func (w *Worker) signAgain(ctx context.Context, m *move, draft chains.Draft) (t *pay.SignedTransaction, err error) {
	if m.network.Exclusion == chains.ByCoins {
		return w.sign(ctx, m, draft)
	}
	n, spare := m.network, draft.Spare()
	slot := chains.Slot{Number: uint64(m.history[len(m.history)-1].Nonce)} //nolint:gosec // it came out as a uint64
	err = w.Store.InTx(ctx, func(tx *store.Store) error {
		if err := begun(ctx, tx, m); err != nil {
			return err
		}
		turn, err := tx.BeginAgain(ctx, n.Name, m.from(), m.asset, settlement.KindOf(n))
		if err != nil {
			return err
		}
		if turn.Outcome != store.TurnReady {
			return errStopped
		}
		if err := m.affordable(turn, spare); err != nil {
			return err
		}
		if t, err = m.signed(draft, slot, string(m.row.Kind)); err != nil {
			return err
		}
		if err := m.dear(t); err != nil {
			return err
		}
		if err := m.leavesQueued(ctx, tx, turn, spare, t.Fee); err != nil {
			return err
		}
		if m.final != nil && t.Fee.GreaterThan(*m.final) {
			return errNotFinal
		}
		if err := tx.AddSigned(ctx, []*pay.SignedTransaction{t}); err != nil {
			return err
		}
		return desk.Start(ctx, tx, m.job)
	})
	return t, err
}

// stillDead fails unless every transaction of a move is dead, and stays so until the transaction ends.
func stillDead(ctx context.Context, tx *store.Store, m *move) error {
	rows, all, err := tx.LockSlot(ctx, m.row.ID)
	return desk.Fenced(all && len(rows) == len(m.history) && settlement.AllDead(rows), err)
}

// failDead fails a move: the network's blocks prove that nothing signed for it was carried out. What was booked as its cost before a
// reorganisation has undone it is given back.
func (w *Worker) failDead(ctx context.Context, m *move, why string) error {
	from := []pay.MoveStatus{pay.MoveSigned, pay.MoveSent, pay.MoveDone}
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if err := stillDead(ctx, tx, m); err != nil {
			return err
		}
		if _, err := tx.AdvanceMove(ctx, m.row.ID, from, pay.MoveFailed, &why, nil, nil); err != nil {
			return err
		}
		if err := m.giveBack(ctx, tx); err != nil {
			return err
		}
		return w.end(ctx, tx, m)
	})
}

// giveBack takes back what is booked as the cost of a move.
func (m *move) giveBack(ctx context.Context, tx *store.Store) error {
	if m.row.Cost == nil {
		return nil
	}
	txids := make([]string, len(m.history))
	for i := range m.history {
		txids[i] = m.history[i].Txid
	}
	if err := tx.UndoMove(ctx, m.row.ID); err != nil {
		return err
	}
	return settlement.GiveBack(ctx, tx, m.network, txids)
}

// awaitDeath leaves a transaction to its follower, when a node says that its time is over. The node's word is no proof.
func (w *Worker) awaitDeath(ctx context.Context, m *move, t *pay.SignedTransaction, reason string) error {
	why := fmt.Sprintf("the time of %s is over for a node of %s: %s; it is signed again when no followed block can have it", t.Txid, m.network.Name, reason)
	return desk.Fenced(w.Store.RetryJob(ctx, m.job, settlement.DeathPause, why))
}
