package onchain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/tasks"
	"causeway/workers/desk"
	"causeway/workers/notices"
	"causeway/workers/settlement"
)

// ResumeWallet lets a stopped hot wallet sign again, from the chain's nonce on. It books every spend unknown to our books: as the
// payment of the open payout for exactly this spend, completed and never signed, or as the treasury's loss until an operator assigns
// it (AssignSpend). unexplained is how many nonces moved nothing, as the operator knows. neverUsed is how many nonces a node has
// counted although nothing was ever signed for them, as the operator knows: the wallet goes on before those. Everything must be
// final. Otherwise nothing is changed.
func (o *Operator) ResumeWallet(ctx context.Context, network string, unexplained, neverUsed int64) (*Report, error) {
	n, err := o.NetworkNamed(network)
	if err != nil {
		return nil, err
	}
	var r *Report
	var fees map[string]decimal.Decimal
	stop, err := o.stopOf(ctx, o.Store, n)
	if err != nil {
		return nil, err
	}
	if r, err = o.report(ctx, stop); err != nil {
		return nil, err
	}
	if err := o.mayResume(ctx, n, r, neverUsed); err != nil {
		return nil, err
	}
	if r.Unexplained != unexplained {
		return nil, fmt.Errorf("%d nonces are not explained by transactions in final blocks: make sure that they moved nothing, then give --unexplained %d",
			r.Unexplained, r.Unexplained)
	}
	top, err := o.followedLast(ctx, n) // after the long look: its block is forgotten again when others have followed it
	if err != nil {
		return nil, err
	}
	if fees, err = o.feesOf(ctx, n, slices.Collect(maps.Keys(r.nonces))); err != nil {
		return nil, err
	}
	err = o.change(ctx, "wallet.resume", "wallet:"+n.Name, func(tx *store.Store) (before, after any, ring []tasks.Job, err error) {
		if err := holds(ctx, tx, top); err != nil {
			return nil, nil, nil, err
		}
		if err := sameSpends(ctx, tx, n, r.Unknown); err != nil {
			return nil, nil, nil, err
		}
		now, err := o.stopOf(ctx, tx, n)
		if err != nil {
			return nil, nil, nil, err
		}
		if now.Chain != stop.Chain {
			return nil, nil, nil, errors.New("the chain has used more nonces meanwhile: look at causeway reconcile again")
		}
		ring, err = o.bookSpends(ctx, tx, n, r.Unknown, fees)
		if err != nil {
			return nil, nil, nil, err
		}
		if err := tx.ResumeForeign(ctx, n.Name, n.Hot, r.foreign); err != nil {
			return nil, nil, nil, err
		}
		err = tx.ResumeWallet(ctx, now, now.Chain-neverUsed)
		return now, map[string]any{"next": now.Chain - neverUsed, "booked": r.Unknown}, ring, err
	})
	return r, err
}

// mayResume fails with the reason for a stopped wallet to wait. An operator may say a node has counted nonces by mistake, and
// nothing was ever signed for them. Nothing known may speak against it: no followed block has one of them, and no mempool by the
// count of the node answering now.
func (o *Operator) mayResume(ctx context.Context, n *chains.Network, r *Report, neverUsed int64) error {
	switch {
	case neverUsed == 0 && r.NotYet != "":
		return errors.New(r.NotYet)
	case neverUsed == 0:
		return nil
	case r.Unused == 0:
		return errors.New(cmp.Or(r.NotYet, fmt.Sprintf("final blocks have every nonce that %s was seen to have used: --never-used is not for them", n.Name)))
	case r.Chain-r.Unused != r.Ours || len(r.nonces) > 0:
		return fmt.Errorf("the wallet has signed what our books do not know, so nobody knows what else was signed with it: %s", r.NotYet)
	case neverUsed != r.Unused:
		return fmt.Errorf("%s was seen to have used %d nonces that no final block has, not %d: %s", n.Name, r.Unused, neverUsed, r.NotYet)
	}
	top, err := o.followedLast(ctx, n)
	if err != nil {
		return err
	}
	mined, err := n.Counter.NonceAt(ctx, n.Hot, top.Height)
	if err != nil {
		return fmt.Errorf("nonces of the hot wallet in blocks of %s: %w", n.Name, err)
	}
	next, err := n.Counter.NextNonce(ctx, n.Hot)
	if err != nil {
		return fmt.Errorf("nonce of the hot wallet on %s: %w", n.Name, err)
	}
	if ours := uint64(r.Ours); mined != ours || next != ours { //nolint:gosec // a nonce is not below zero
		return fmt.Errorf("the next nonce of the wallet is %d in the newest blocks of %s and %d with its mempool, and ours is %d: "+
			"wait until that is the same, or use the nonces by hand", mined, n.Name, next, ours)
	}
	return nil
}

func (o *Operator) stopOf(ctx context.Context, s *store.Store, n *chains.Network) (*store.StoppedWallet, error) {
	stop, err := s.WalletOfStop(ctx, n.Name, n.Hot)
	if errors.Is(err, pay.ErrNotFound) {
		return nil, fmt.Errorf("the hot wallet of %s is not stopped", n.Name)
	}
	return stop, err
}

// feesOf returns the cost of each of the hot wallet's transactions, in the native coin.
func (o *Operator) feesOf(ctx context.Context, n *chains.Network, txids []string) (map[string]decimal.Decimal, error) {
	out := map[string]decimal.Decimal{}
	if len(txids) == 0 {
		return out, nil
	}
	status, err := n.Watcher.Status(ctx, txids)
	if err != nil {
		return nil, fmt.Errorf("look up unknown transactions on %s: %w", n.Name, err)
	}
	for txid, now := range status {
		if !now.Final {
			return nil, fmt.Errorf("transaction %s is not final yet", txid)
		}
		out[txid] = now.Fee
	}
	return out, nil
}

// bookSpends writes unknown spends into the ledger and completes the payouts they have paid.
func (o *Operator) bookSpends(ctx context.Context, tx *store.Store, n *chains.Network, spends []store.UnknownSpend,
	fees map[string]decimal.Decimal) ([]tasks.Job, error) {
	cat, err := o.Catalogue.Now(ctx, tx)
	if err != nil {
		return nil, err
	}
	booked, err := tx.GasBooked(ctx, settlement.GasOf(n, slices.Sorted(maps.Keys(fees))))
	if err != nil {
		return nil, err
	}
	var entries []ledger.Entry
	var deliveries []pay.Delivery
	for i := range spends {
		u := &spends[i]
		if fee, ok := fees[u.Txid]; ok {
			entries = append(entries, settlement.CostOf(n, u.Txid, fee, nil, booked)...)
			delete(fees, u.Txid)
		}
		decision := store.SpendLost
		if u.PayoutID != nil {
			decision = store.SpendPaid
			p, d, err := settlement.CompleteBy(ctx, tx, u)
			if err != nil {
				return nil, err
			}
			entries, deliveries = append(entries, ledger.PayoutSettled(p)), append(deliveries, d)
		} else {
			entries = append(entries, ledger.TreasuryLost(n.Name, cat.Asset(u.Token, n.Name), settlement.PlaceInChain(u), u.Amount))
		}
		u.Decision = &decision
		if err := desk.Fenced(tx.DecideSpend(ctx, u, nil)); err != nil {
			return nil, err
		}
	}
	for _, txid := range slices.Sorted(maps.Keys(fees)) { // of transactions without a spend
		entries = append(entries, settlement.CostOf(n, txid, fees[txid], nil, booked)...)
	}
	if err := explained(ctx, tx, n, entries...); err != nil {
		return nil, err
	}
	return notices.Record(ctx, tx, deliveries)
}

// explained posts the entries of an operator's decision on a spend, and notes the decision. A look begun before it may or may not
// have found the spend, and nobody corrects anything by it.
func explained(ctx context.Context, tx *store.Store, n *chains.Network, entries ...ledger.Entry) error {
	if err := tx.NoteDecision(ctx, n.Name); err != nil {
		return err
	}
	_, err := ledger.Post(ctx, tx.Q, entries...)
	return err
}

// sameSpends fails when the undecided spends are others than those looked at, or elsewhere in the chain.
func sameSpends(ctx context.Context, tx *store.Store, n *chains.Network, looked []store.UnknownSpend) error {
	now, err := tx.OpenSpends(ctx, n.Name)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(now, looked, func(a, b store.UnknownSpend) bool {
		return settlement.PlaceInChain(&a) == settlement.PlaceInChain(&b) && a.Height == b.Height && a.Recipient == b.Recipient && a.Memo == b.Memo &&
			a.Amount.Equal(b.Amount)
	}) {
		return fmt.Errorf("%s reorganised meanwhile: try again", n.Name)
	}
	return nil
}
