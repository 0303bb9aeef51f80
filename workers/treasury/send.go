package treasury

import (
	"context"
	"fmt"
	"time"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
	"causeway/workers/settlement"
)

// send sends saved bytes and records the outcome. An uncertain one is tried again with the same bytes.
func (w *Worker) send(ctx context.Context, m *move, t *pay.SignedTransaction) error {
	outcome, reason := m.network.Sender.Broadcast(ctx, t.Raw)
	switch outcome {
	case chains.Accepted:
		return w.accepted(ctx, m, t)
	case chains.Rejected:
		return w.rejected(ctx, m, t, reason)
	case chains.SlotTaken:
		return w.slotTaken(ctx, m, t, reason)
	case chains.Expired:
		if m.network.Exclusion == chains.ByExpiry {
			return w.awaitDeath(ctx, m, t, reason)
		}
		return w.replaceExpired(ctx, m, t, reason)
	case chains.NotTaken, chains.Underpriced:
		return fmt.Errorf("%s does not take %s now, and may have it: %s", m.network.Name, t.Txid, reason)
	default:
		return fmt.Errorf("it is unknown whether %s has %s: %s: %w", m.network.Name, t.Txid, reason, chains.ErrDown)
	}
}

// accepted records that the network has the bytes, and finishes the job.
func (w *Worker) accepted(ctx context.Context, m *move, t *pay.SignedTransaction) error {
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if _, err := tx.MarkSigned(ctx, t.Network, t.Txid, pay.TxSigned, pay.TxSent, nil); err != nil {
			return err
		}
		if _, err := tx.AdvanceMove(ctx, m.row.ID, []pay.MoveStatus{pay.MoveSigned}, pay.MoveSent, nil, &t.Txid, nil); err != nil {
			return err
		}
		return desk.Fenced(tx.FinishJob(ctx, m.job))
	})
}

// rejected leaves rejected bytes to another transaction of the slot known to the network. If the network knows that it has rejected
// all of them for good, the move has failed. Else a transaction that moves nothing takes the slot, since later slots of the address
// wait behind it.
func (w *Worker) rejected(ctx context.Context, m *move, t *pay.SignedTransaction, reason string) error {
	status, err := w.lookUp(ctx, m)
	if err != nil {
		return err
	}
	rejected := 0
	for i := range m.history {
		switch one := &m.history[i]; {
		case settlement.Taken(status[one.Txid]) && one.Txid != t.Txid:
			return w.giveWay(ctx, m, t, one)
		case settlement.Taken(status[one.Txid]):
			return w.accepted(ctx, m, t)
		case status[one.Txid].State == chains.TxRejected, one.State == pay.TxExpired:
			rejected++
		}
	}
	if rejected == len(m.history) {
		return w.giveUp(ctx, m, pay.TxRejected, m.network.Name+" rejects it: "+reason)
	}
	if m.network.Exclusion == chains.ByExpiry {
		return fmt.Errorf("%s rejects %s, and it may be carried out by others: it waits for its death", m.network.Name, t.Txid)
	}
	if t.Purpose == pay.PurposeVoid {
		return fmt.Errorf("%s rejects %s, which only takes a slot, as well: %s", m.network.Name, t.Txid, reason)
	}
	return w.replace(ctx, m, t, pay.PurposeVoid)
}

// takenFor is how long ago the first transaction of a move was sent at least before the move is given up: a node some blocks behind does
// not know it yet. Replacements are younger, and do not put the end off.
const takenFor = 10 * time.Minute

// slotTaken decides about a move whose slot the network has given to another transaction. If it is one of ours, the job stays until the
// follower has seen one of them in a block: the network may drop the other. If a final block has one of somebody else, ours can never
// be mined, and the move has failed.
func (w *Worker) slotTaken(ctx context.Context, m *move, t *pay.SignedTransaction, reason string) error {
	status, err := w.lookUp(ctx, m)
	if err != nil {
		return err
	}
	for i := range m.history {
		switch one := &m.history[i]; {
		case !settlement.Taken(status[one.Txid]):
		case one.Txid == t.Txid: // it has it, whatever it said
			return w.accepted(ctx, m, t)
		default:
			return fmt.Errorf("%s does not take %s: %s; our transaction %s has its slot: the follower ends the move when one of them is final",
				m.network.Name, t.Txid, reason, one.Txid)
		}
	}
	lost, err := w.lost(ctx, m, t)
	if err != nil {
		return err
	}
	if !lost || m.history[0].Sent < takenFor {
		return fmt.Errorf("%s does not take %s: %s; another transaction has its slot, in no final block yet or since a moment ago", m.network.Name, t.Txid, reason)
	}
	return w.giveUp(ctx, m, pay.TxReplaced, "a transaction unknown to the books has taken its slot")
}

// lost reports whether a final block has a transaction of somebody else in the slot of a move.
func (w *Worker) lost(ctx context.Context, m *move, t *pay.SignedTransaction) (bool, error) {
	if m.network.Exclusion == chains.ByCoins {
		return w.Store.SlotLost(ctx, m.network.Name, m.from(), t.Nonce)
	}
	used, err := w.usedBy(ctx, m)
	return used > uint64(t.Nonce), err //nolint:gosec // a nonce is not negative
}

// usedBy returns the first number of a move's address unused in final blocks.
func (w *Worker) usedBy(ctx context.Context, m *move) (uint64, error) {
	head, err := m.network.Scanner.Head(ctx, -1)
	if err != nil {
		return 0, fmt.Errorf("head of %s: %w", m.network.Name, err)
	}
	used, err := m.network.Counter.NonceAt(ctx, m.from(), head.Final)
	if err != nil {
		return 0, fmt.Errorf("nonce of %s on %s: %w", m.from(), m.network.Name, err)
	}
	return used, nil
}

// giveWay marks rejected bytes, and leaves the move to another transaction of the slot known to the network.
func (w *Worker) giveWay(ctx context.Context, m *move, t, to *pay.SignedTransaction) error {
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if _, err := tx.MarkSigned(ctx, t.Network, t.Txid, t.State, pay.TxRejected, nil); err != nil {
			return err
		}
		if _, err := tx.MarkSigned(ctx, to.Network, to.Txid, pay.TxSigned, pay.TxSent, nil); err != nil { // no effect: it is already
			return err
		}
		return desk.Fenced(tx.FinishJob(ctx, m.job))
	})
}

// giveUp fails a move whose transactions can never be mined.
func (w *Worker) giveUp(ctx context.Context, m *move, fate pay.SignedState, why string) error {
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		moves := make([]store.SignedMove, 0, len(m.history))
		for _, t := range m.history {
			if t.State == pay.TxSigned || t.State == pay.TxSent {
				moves = append(moves, store.SignedMove{Txid: t.Txid, From: t.State, To: fate})
			}
		}
		moved, err := tx.MarkAllSigned(ctx, m.row.Network, moves)
		if err := desk.Fenced(len(moved) == len(moves), err); err != nil { // one was followed into a block meanwhile
			return err
		}
		if _, err := tx.AdvanceMove(ctx, m.row.ID, []pay.MoveStatus{pay.MoveSigned, pay.MoveSent}, pay.MoveFailed, &why, nil, nil); err != nil {
			return err
		}
		if m.network.Exclusion == chains.ByCoins {
			if err := tx.FreeCoins(ctx, m.row.Network, m.from(), []int64{m.history[len(m.history)-1].Nonce}); err != nil {
				return err
			}
		}
		return w.end(ctx, tx, m)
	})
}

// lookUp asks the network for all transactions signed for a move.
func (w *Worker) lookUp(ctx context.Context, m *move) (status map[string]chains.TxStatus, err error) {
	txids := make([]string, len(m.history))
	for i := range m.history {
		txids[i] = m.history[i].Txid
	}
	if status, err = m.network.Watcher.Status(ctx, txids); err != nil {
		return nil, fmt.Errorf("look up the transactions of move %s: %w", m.row.ID, err)
	}
	return status, nil
}
