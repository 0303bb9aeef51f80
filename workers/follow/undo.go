package follow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/tasks"
	"causeway/workers/catalogue"
	"causeway/workers/desk"
	"causeway/workers/notices"
)

// forked reports whether the chain has left the block followed last. A node merely behind has not.
func (w *Worker) forked(ctx context.Context, r *reading) (bool, error) {
	if r.state.Height < 0 {
		return false, nil
	}
	if len(r.blocks) > 0 {
		return r.blocks[0].Parent != r.state.Hash, nil
	}
	if r.head.Height < r.state.Height || slices.Contains(r.head.Marks, chains.Mark{Height: r.state.Height, Hash: r.state.Hash}) {
		return false, nil
	}
	hash, err := hashOf(ctx, r.network, r.state.Height)
	return hash != r.state.Hash, err
}

// hashOf asks for the hash of a block below the head. A node with no block there is behind: this is no proof of another block.
func hashOf(ctx context.Context, n *chains.Network, height int64) (string, error) {
	hash, err := n.Scanner.Hash(ctx, height)
	if err == nil && hash == "" {
		err = fmt.Errorf("%w: the node that answered has no block there yet", chains.ErrDown)
	}
	if err != nil {
		return "", fmt.Errorf("block %d of %s: %w", height, n.Name, err)
	}
	return hash, nil
}

// undo walks back to the last block shared with the chain, and in one transaction takes back everything above it: credits are
// reversed, transactions of ours are to be sent again.
func (w *Worker) undo(ctx context.Context, r *reading) error {
	ancestor, err := w.ancestor(ctx, r)
	if err != nil {
		return err
	}
	w.LogFor(r.network).WithField("from", r.state.Height).WithField("to", ancestor).Warn("the chain reorganised")
	return w.Record(ctx, func(tx *store.Store) ([]tasks.Job, error) {
		if err := tx.ForgetBlocks(ctx, r.network.Name, ancestor); err != nil { // first: transactions locking them have ended then, and their writes are seen
			return nil, err
		}
		u, err := GoBack(ctx, tx, w.Catalogue, r.network.Name, ancestor)
		if err != nil {
			return nil, err
		}
		if err := desk.Fenced(tx.RetryJob(ctx, r.job, 0, "")); err != nil {
			return nil, err
		}
		return u.Ring, tx.Unpass(ctx, r.network.Name) // everything above it is unknown until it is read again
	})
}

// Undone counts what going back along a network has taken back.
type Undone struct {
	Transfers, Transactions int
	Ring                    []tasks.Job // after the commit
}

// GoBack takes back everything above a height in a network's blocks, but for the blocks themselves: credits are reversed, and
// transactions of ours are to be sent again, also those whose nonces others had taken there. Spends of the hot wallet by others are
// noted as undone until they are seen again.
func GoBack(ctx context.Context, tx *store.Store, cat *catalogue.Catalogue, network string, to int64) (u Undone, err error) {
	if err := tx.UndoSpends(ctx, network, to); err != nil { // before anything is posted, as operators' decisions on them do
		return u, err
	}
	gone, err := tx.TransfersAbove(ctx, network, to)
	if err != nil {
		return u, err
	}
	if u.Ring, err = takeBack(ctx, tx, cat, gone); err != nil {
		return u, err
	}
	if err := undoByHand(ctx, tx, network, to); err != nil {
		return u, err
	}
	if err := undoAsides(ctx, tx, network, to); err != nil {
		return u, err
	}
	if err := undoCold(ctx, tx, cat, network, to); err != nil {
		return u, err
	}
	if err := tx.UndoCoins(ctx, network, to); err != nil {
		return u, err
	}
	payouts, moves, err := tx.UnmineSigned(ctx, network, to)
	if err != nil {
		return u, err
	}
	u.Transfers, u.Transactions = len(gone), len(payouts)+len(moves)
	if err := tx.AddJobs(ctx, string(tasks.MoveTreasury), store.Unique(moves), tasks.RingDelay); err != nil {
		return u, err
	}
	return u, tx.AddJobs(ctx, string(tasks.BroadcastPayout), store.Unique(payouts), tasks.RingDelay)
}

// ancestor returns the height of the last remembered block still in the chain. It steps back by 1, 2, 4 … blocks and then halves the
// gap: below a block in the chain every block is there too. Of fifty blocks it asks for eleven, since a step needs an answer to every
// question: on a node that loses some, it would not get through fifty.
func (w *Worker) ancestor(ctx context.Context, r *reading) (int64, error) {
	known, err := w.Store.BlocksBelow(ctx, r.network.Name, r.state.Height, store.Window+1)
	if err != nil {
		return 0, err
	}
	gone, there := -1, -1 // the lowest block gone from the chain, the highest still in it
	for back := 1; there < 0 && gone < len(known)-1; back *= 2 {
		err = w.probe(ctx, r, known, min(gone+back, len(known)-1), &gone, &there)
		if err != nil {
			return 0, err
		}
	}
	if there < 0 {
		return 0, desk.ErrHalted
	}
	for there-gone > 1 {
		if err := w.probe(ctx, r, known, (gone+there)/2, &gone, &there); err != nil {
			return 0, err
		}
	}
	return known[there].Height, nil
}

// probe asks whether one of the remembered blocks is in the chain.
func (w *Worker) probe(ctx context.Context, r *reading, known []store.ChainBlock, i int, gone, there *int) error {
	hash, err := hashOf(ctx, r.network, known[i].Height)
	if err != nil {
		return err
	}
	if hash == known[i].Hash {
		*there = i
	} else {
		*gone = i
	}
	return nil
}

// takeBack drops transfers undone by the chain, with their credits.
func takeBack(ctx context.Context, tx *store.Store, c *catalogue.Catalogue, gone []pay.Transfer) ([]tasks.Job, error) {
	payins, err := tx.PayinsForUpdate(ctx, payinIDs(gone))
	if err != nil {
		return nil, err
	}
	cat, err := c.Now(ctx, tx)
	if err != nil {
		return nil, err
	}
	var entries []ledger.Entry
	removed := map[uuid.UUID]map[string]decimal.Decimal{}
	for i := range gone {
		t := &gone[i]
		asset := cat.Asset(t.Token, t.Network)
		if e, ok := undoing(t, asset, payins); ok {
			entries = append(entries, e)
		}
		if t.OnBalance() {
			addTo(removed, *t.PayinID, asset, t.Net())
		}
		t.Status, t.Height = pay.TransferDropped, nil
	}
	if err := tx.SaveTransfers(ctx, gone); err != nil {
		return nil, err
	}
	if _, err := ledger.Post(ctx, tx.Q, entries...); err != nil {
		return nil, err
	}
	return reverse(ctx, tx, payins, removed)
}

// undoing returns the entry to take back the booking of a transfer, if there is any.
func undoing(t *pay.Transfer, asset string, payins map[uuid.UUID]*pay.Payin) (ledger.Entry, bool) {
	switch t.Status {
	case pay.TransferCredited, pay.TransferFinal:
		p := payins[*t.PayinID]
		return ledger.OfPayin(p, ledger.PayinReversed(p.MerchantID, asset, t)), true
	case pay.TransferTreasury:
		return ledger.TreasuryUndone(asset, t), true
	case pay.TransferUnclaimed, pay.TransferIgnored:
		return ledger.UnclaimedUndone(asset, t), true
	default:
		return ledger.Entry{}, false
	}
}

// reverse marks payins with lost credits as reversed and tells their merchants (addendum §8).
func reverse(ctx context.Context, tx *store.Store, payins map[uuid.UUID]*pay.Payin,
	removed map[uuid.UUID]map[string]decimal.Decimal) ([]tasks.Job, error) {
	transfers, err := tx.TransfersOf(ctx, store.InOrder(removed)...)
	if err != nil {
		return nil, err
	}
	urls, err := notices.URLs(ctx, tx, maps.Values(payins))
	if err != nil {
		return nil, err
	}
	var deliveries []pay.Delivery
	var lost []*pay.Payin
	for _, id := range store.InOrder(removed) {
		p := payins[id]
		p.Received, p.Status = transfers[id].Counted(), pay.PayinReversed
		if err := lose(p, removed[id], time.Now()); err != nil {
			return nil, err
		}
		lost = append(lost, p)
		if deliveries, err = notices.OfPayin(deliveries, pay.PaymentReversed, p, transfers[id], nil, urls); err != nil {
			return nil, err
		}
	}
	if err := tx.SavePayins(ctx, lost); err != nil {
		return nil, err
	}
	return notices.Record(ctx, tx, deliveries)
}

func addTo(sums map[uuid.UUID]map[string]decimal.Decimal, id uuid.UUID, asset string, amount decimal.Decimal) {
	if sums[id] == nil {
		sums[id] = map[string]decimal.Decimal{}
	}
	sums[id][asset] = sums[id][asset].Add(amount)
}
