package reconcile

import (
	"context"
	"math"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/workers/settlement"
)

// expected is our books' view of one network at one moment.
type expected struct {
	at      store.ChainBlock              // the last followed block
	want    map[string]decimal.Decimal    // held by our addresses, by asset
	mended  store.Corrections             // by operators, included in want
	undone  bool                          // the network has undone something included in want
	stopped []string                      // assets with stopped payouts there: their books may be wrong
	open    []pay.SignedTransaction       // may have moved something not settled yet, or are dead though booked
	payouts map[uuid.UUID]*pay.Payout     // of open; a move of the treasury has none
	cold    []string                      // addresses whose holdings are in the books
	unready []string                      // cold addresses whose holdings are not
	byHand  []store.MoveByHand            // moves by hand whose cost is not booked
	spent   map[uuid.UUID]store.BookedGas // booked costs of those of open that were final once, by ledger.Gas
	kept    map[uuid.UUID]decimal.Decimal // of open moves, by the token itself or by what is on its way
}

// expectedHoldings reads the books' view of networks, all at one moment; a network not followed yet has none.
func (w *Worker) expectedHoldings(ctx context.Context, networks ...*chains.Network) (map[string]*expected, error) {
	out := map[string]*expected{}
	err := w.Store.Snapshot(ctx, func(tx *store.Store) error {
		want, err := tx.LedgerHoldings(ctx)
		if err != nil {
			return err
		}
		corrected, err := tx.Corrections(ctx)
		if err != nil {
			return err
		}
		amiss, err := tx.AmissSpent(ctx)
		if err != nil {
			return err
		}
		withdrawn, err := tx.ColdSpent(ctx)
		if err != nil {
			return err
		}
		unsettled, err := tx.Unsettled(ctx)
		if err != nil {
			return err
		}
		stops, err := tx.StoppedAssets(ctx)
		if err != nil {
			return err
		}
		for _, n := range networks {
			blocks, err := tx.BlocksBelow(ctx, n.Name, 1<<62, 1)
			if err != nil {
				return err
			}
			if len(blocks) == 0 {
				continue
			}
			b := &expected{at: blocks[0], want: want[n.Name], mended: corrected[n.Name], undone: unsettled[n.Name],
				stopped: stoppedOn(stops, n.Name)}
			if b.want == nil {
				b.want = map[string]decimal.Decimal{}
			}
			for asset, spent := range amiss[n.Name] {
				b.want[asset] = b.want[asset].Sub(spent)
			}
			for asset, spent := range withdrawn[n.Name] { // an operator books it, and nothing waits for that
				b.want[asset] = b.want[asset].Sub(spent)
			}
			if err := b.readOpen(ctx, tx, n); err != nil {
				return err
			}
			out[n.Name] = b
		}
		return nil
	})
	return out, err
}

// openByHand is how many moves by hand a look asks about.
const openByHand = 1000

// readOpen reads what may have moved something and is not settled: our addresses beside the hot wallet, open transactions, and moves by
// hand.
func (b *expected) readOpen(ctx context.Context, tx *store.Store, n *chains.Network) (err error) {
	if b.cold, b.unready, err = tx.ColdAddresses(ctx, n.Name); err != nil {
		return err
	}
	if b.open, err = tx.OpenSigned(ctx, n.Name, math.MaxInt64, 100_000); err != nil {
		return err
	}
	dead, err := tx.UndoneDead(ctx, n.Name)
	if err != nil {
		return err
	}
	b.open = append(b.open, dead...)
	if b.byHand, err = tx.OpenMovesByHand(ctx, n.Name, b.at.Height, openByHand); err != nil {
		return err
	}
	if b.payouts, err = tx.PayoutsOf(ctx, payoutIDs(b.open)); err != nil {
		return err
	}
	if b.spent, err = tx.GasBooked(ctx, b.unfinal(n.Name)); err != nil {
		return err
	}
	return nil
}

// unfinal returns the ledger's subjects for the gas of transactions final before a reorganisation undid them: those of settled
// payouts, and perhaps those of moves of the treasury.
func (b *expected) unfinal(network string) (spent []uuid.UUID) {
	for i := range b.open {
		if p := b.payouts[b.open[i].PayoutID]; p == nil || p.Status.Ended() {
			spent = append(spent, ledger.Gas(network, b.open[i].Txid))
		}
	}
	return spent
}

// takeOff subtracts unbooked movements by transactions in blocks, and adds booked ones of transactions taken out of the blocks by a
// reorganisation.
func (w *Worker) takeOff(ctx context.Context, n *chains.Network, b *expected) error {
	if err := w.takeOffByHand(ctx, n, b); err != nil || len(b.open) == 0 {
		return err
	}
	b.kept = map[uuid.UUID]decimal.Decimal{}
	txids := make([]string, len(b.open))
	for i := range b.open {
		txids[i] = b.open[i].Txid
	}
	status, err := n.Watcher.Status(ctx, txids)
	if err != nil {
		return err
	}
	for i := range b.open {
		t, now := &b.open[i], status[b.open[i].Txid]
		p := b.payouts[t.PayoutID]
		first := i == 0 || b.open[i-1].Txid != t.Txid // a transaction of several payouts costs once
		if (now.State == chains.TxMined || now.State == chains.TxReverted) && now.Height <= b.at.Height {
			if first {
				b.want[n.Coin] = b.want[n.Coin].Sub(now.Fee)
			}
			switch {
			case now.State == chains.TxReverted && !now.Way.On(b.at.Height), t.Purpose == pay.PurposeCancel:
			case p != nil:
				b.want[p.Asset] = b.want[p.Asset].Sub(movedBy(now, p))
			case now.Way.On(b.at.Height): // a move is with us again once it arrives, or comes back
				b.kept[t.PayoutID] = now.Way.Amount
			case now.Amiss != nil: // it stays with us, but for what the token keeps
				b.kept[t.PayoutID] = now.Amiss.Spent.Sub(now.Amiss.Arrived)
			}
		}
		if first {
			b.want[n.Coin] = b.want[n.Coin].Add(b.spent[ledger.Gas(n.Name, t.Txid)].Cost)
		}
		if p != nil && p.Status == pay.PayoutCompleted && *p.Txid == t.Txid {
			b.want[p.Asset] = b.want[p.Asset].Add(p.Amount)
		}
	}
	return w.takeOffKept(ctx, n, b)
}

// takeOffKept subtracts what tokens have kept of moves that are not final, and what of them is on its way.
func (w *Worker) takeOffKept(ctx context.Context, n *chains.Network, b *expected) error {
	for id, kept := range b.kept {
		m, err := w.Store.Move(ctx, id)
		if err != nil {
			return err
		}
		cat, err := w.Catalogue.On(ctx, w.Store, n)
		if err != nil {
			return err
		}
		asset := cat.Asset(m.Token, n.Name)
		b.want[asset] = b.want[asset].Sub(kept)
	}
	return nil
}

// takeOffByHand subtracts the costs of moves by hand that the books do not have yet, where an address of ours has paid them.
func (w *Worker) takeOffByHand(ctx context.Context, n *chains.Network, b *expected) error {
	if len(b.byHand) == 0 {
		return nil
	}
	txids := make([]string, len(b.byHand))
	for i := range b.byHand {
		txids[i] = b.byHand[i].Txid
	}
	status, err := n.Watcher.Status(ctx, txids)
	if err != nil {
		return err
	}
	for _, txid := range txids {
		now := status[txid]
		if now.State != chains.TxMined && now.State != chains.TxReverted || now.Height > b.at.Height {
			continue
		}
		own, _, err := settlement.PaidByUs(ctx, w.Store, n, b.cold, txid)
		if err != nil {
			return err
		}
		if own {
			b.want[n.Coin] = b.want[n.Coin].Sub(now.Fee)
		}
	}
	return nil
}

// movedBy returns the amount taken from the hot wallet by a mined payment of a payout.
func movedBy(now chains.TxStatus, p *pay.Payout) decimal.Decimal {
	if now.Amiss != nil {
		return now.Amiss.Spent
	}
	return p.Amount
}

// stoppedOn returns the assets stopped on a network.
func stoppedOn(stops []store.StoppedAsset, network string) (out []string) {
	for _, stop := range stops {
		if stop.Network == "" || stop.Network == network {
			out = append(out, stop.Asset)
		}
	}
	return out
}

func payoutIDs(signed []pay.SignedTransaction) []uuid.UUID {
	out := make([]uuid.UUID, len(signed))
	for i := range signed {
		out[i] = signed[i].PayoutID
	}
	return store.Unique(out)
}
