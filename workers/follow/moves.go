package follow

import (
	"context"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/tasks"
	"causeway/workers/settlement"
)

// jobsOf returns the jobs that send transactions again: of payouts, and of moves of the treasury.
func (r *reading) jobsOf(ids []uuid.UUID) (payouts, moves []uuid.UUID) {
	ofMove := map[uuid.UUID]bool{}
	for i := range r.open {
		ofMove[r.open[i].PayoutID] = r.open[i].OfMove()
	}
	for _, id := range ids {
		if ofMove[id] {
			moves = append(moves, id)
		} else {
			payouts = append(payouts, id)
		}
	}
	return payouts, moves
}

// endMoves ends the moves of final transactions, and books the costs. A move that had ended before a reorganisation ends as its
// transaction does now. A sweep goes on when a top-up or a loan of its address has ended, also one that was for an earlier sweep.
func (w *Worker) endMoves(ctx context.Context, tx *store.Store, r *reading, out *writing, final []*pay.SignedTransaction) error {
	if len(final) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(final))
	for i, t := range final {
		ids[i] = t.PayoutID
	}
	if r.network.Exclusion != chains.ByExpiry { // there the others are dead
		if err := tx.MarkAllReplaced(ctx, r.network.Name, final); err != nil {
			return err
		}
	}
	if err := freeCoins(ctx, tx, r.network, final); err != nil {
		return err
	}
	moves, err := tx.MovesOf(ctx, ids)
	if err != nil {
		return err
	}
	if err := w.bookMoves(ctx, tx, r, out, final, moves); err != nil {
		return err
	}
	var toppedUp []string
	for _, t := range final {
		m := moves[t.PayoutID]
		if err := w.endMove(ctx, tx, r, t, m); err != nil {
			return err
		}
		if m.Kind == pay.MoveTopup || m.Kind == pay.MoveDelegate {
			toppedUp = append(toppedUp, m.ToAddress)
		}
	}
	waiting, err := tx.WaitingSweeps(ctx, r.network.Name, toppedUp)
	if err != nil {
		return err
	}
	return tx.AddJobs(ctx, string(tasks.MoveTreasury), waiting, tasks.RingDelay)
}

// bookMoves books what final transactions of moves have cost, and what a token has kept of its amount on the way.
func (w *Worker) bookMoves(ctx context.Context, tx *store.Store, r *reading, out *writing, final []*pay.SignedTransaction,
	moves map[uuid.UUID]*pay.TreasuryMove) error {
	ids := make([]uuid.UUID, 0, len(moves))
	for id := range moves {
		ids = append(ids, id)
	}
	signed, err := tx.Nonces(ctx, r.network.Name, ids)
	if err != nil {
		return err
	}
	var txids []string
	for _, rows := range signed {
		for i := range rows {
			txids = append(txids, rows[i].Txid)
		}
	}
	booked, err := tx.GasBooked(ctx, settlement.GasOf(r.network, txids))
	if err != nil {
		return err
	}
	for _, t := range final {
		var others []string
		for _, other := range signed[t.PayoutID] {
			if other.Txid != t.Txid && (other.Nonce == t.Nonce || other.State == pay.TxExpired) {
				others = append(others, other.Txid)
			}
		}
		fee := r.status[t.Txid].Fee
		entries := settlement.CostOf(r.network, t.Txid, fee, others, booked)
		if out.entries = append(out.entries, entries...); len(entries) > 0 {
			if err := tx.CostMove(ctx, t.PayoutID, fee); err != nil {
				return err
			}
		}
		if kept := keptOf(r.status[t.Txid]); kept.IsPositive() && t.State == pay.TxFinal {
			m := moves[t.PayoutID]
			out.entries = append(out.entries, ledger.MoveKept(r.network.Name, out.tokens.Asset(m.Token, m.Network), t.Txid, kept))
		}
	}
	return nil
}

// keptOf returns what a token has kept of a transfer of its own: it has left one address of ours and has not arrived at the other.
func keptOf(now chains.TxStatus) decimal.Decimal {
	if now.Amiss == nil {
		return decimal.Zero
	}
	return now.Amiss.Spent.Sub(now.Amiss.Arrived)
}

// endMove records how a move has ended.
func (w *Worker) endMove(ctx context.Context, tx *store.Store, r *reading, t *pay.SignedTransaction, m *pay.TreasuryMove) error {
	any := []pay.MoveStatus{pay.MovePlanned, pay.MoveSigned, pay.MoveSent, pay.MoveDone, pay.MoveFailed, pay.MoveCancelled}
	amiss := r.status[t.Txid].Amiss
	if t.Purpose == pay.PurposeVoid || t.State == pay.TxReverted || amiss != nil && !amiss.Arrived.IsPositive() {
		why := settlement.NotCarriedOut
		if m.Cancelling {
			why = settlement.Cancelled
		}
		_, err := tx.AdvanceMove(ctx, m.ID, any, pay.MoveFailed, &why, &t.Txid, new(decimal.Zero))
		return err
	}
	moved := m.Amount
	if m.Kind == pay.MoveSweep && m.Token == r.network.Coin {
		moved = moved.Sub(t.Fee)
	}
	if m.Kind == pay.MoveConsolidate {
		spent, err := tx.SpentBySlot(ctx, t.Network, t.Address, t.Nonce, t.Txid)
		if err != nil {
			return err
		}
		moved = spent.Sub(t.Fee)
	}
	if amiss != nil {
		moved = amiss.Arrived
	}
	_, err := tx.AdvanceMove(ctx, m.ID, any, pay.MoveDone, nil, &t.Txid, &moved)
	return err
}
