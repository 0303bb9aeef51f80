package follow

import (
	"context"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/tasks"
	"causeway/workers/settlement"
)

// byHandAtOnce is how many moves by hand a step asks about.
const byHandAtOnce = 20

// readByHand asks who has paid for moves by hand in final blocks, and how much. Where a network keeps no count of an address's
// transactions, the blocks have said it. A failing question is asked again by the next step.
func (w *Worker) readByHand(ctx context.Context, r *reading) error {
	n, final := r.network, min(r.head.Final, r.state.Height)
	if r.state.ByHand == nil || *r.state.ByHand > final {
		return nil
	}
	open, err := w.Store.OpenMovesByHand(ctx, n.Name, final, byHandAtOnce)
	if err != nil || len(open) == 0 {
		return err
	}
	txids := make([]string, len(open))
	for i := range open {
		txids[i] = open[i].Txid
	}
	status, err := n.Watcher.Status(ctx, txids)
	for i := 0; i < len(open) && err == nil; i++ {
		m := &open[i]
		now := status[m.Txid]
		if !now.Final || now.Height != *m.Height {
			continue // from a node that is behind
		}
		var own, known bool
		if own, known, err = settlement.PaidByUs(ctx, w.Store, n, r.state.Cold, m.Txid); !known {
			continue
		}
		if m.Cost = &now.Fee; !own {
			m.Cost = &decimal.Zero
		}
		r.costs = append(r.costs, *m)
	}
	if err != nil && w.FreshOn(n.Name, tasks.FollowNetwork, err.Error()) {
		w.LogFor(n).WithError(err).Warn("the cost of a move by hand is not known yet")
	}
	return nil
}

// bookByHand keeps the step's moves by hand, and books the costs of final ones, each once.
func (w *Worker) bookByHand(ctx context.Context, tx *store.Store, r *reading, out *writing) error {
	if err := tx.AddMovesByHand(ctx, r.movesByHand()); err != nil || len(r.costs) == 0 {
		return err
	}
	txids := make([]string, len(r.costs))
	for i := range r.costs {
		txids[i] = r.costs[i].Txid
	}
	booked, err := tx.GasBooked(ctx, settlement.GasOf(r.network, txids))
	if err != nil {
		return err
	}
	for i := range r.costs {
		m := &r.costs[i]
		kept, err := tx.CostByHand(ctx, m)
		if err != nil {
			return err
		}
		if kept && m.Cost.IsPositive() {
			out.entries = append(out.entries, settlement.CostOf(r.network, m.Txid, *m.Cost, nil, booked)...)
		}
	}
	return nil
}

// undoByHand gives back the costs of moves by hand above a height: a reorganisation has undone them.
func undoByHand(ctx context.Context, tx *store.Store, network string, to int64) error {
	txids, err := tx.UndoMovesByHand(ctx, network, to)
	if err != nil || len(txids) == 0 {
		return err
	}
	known, _ := pay.NetworkNamed(network)
	n := &chains.Network{Network: *known}
	booked, err := tx.GasBooked(ctx, settlement.GasOf(n, txids))
	if err != nil {
		return err
	}
	var entries []ledger.Entry
	for _, txid := range txids {
		if was := booked[ledger.Gas(network, txid)]; was.Cost.IsPositive() {
			entries = append(entries, ledger.GasGivenBack(network, n.Coin, txid, was.Times, was.Cost))
		}
	}
	_, err = ledger.Post(ctx, tx.Q, entries...)
	return err
}
