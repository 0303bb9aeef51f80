package workers

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/ledger"
	"causeway/pay"
	"causeway/store"
	"causeway/tasks"
)

// AssignSpend decides what a transaction was that no payout explained when its wallet was resumed: it has paid this open
// payout, which is completed by it, or, without one, it was nobody's payout. Until then a payout that asks for the same is
// not signed.
func (w *Workers) AssignSpend(ctx context.Context, actor, network, txid string, payout *uuid.UUID) (*store.UnknownSpend, error) {
	n, ok := w.Networks.Network(network)
	if !ok {
		return nil, fmt.Errorf("there is no network %q", network)
	}
	var out *store.UnknownSpend
	var ring []tasks.Job
	err := w.Store.InTx(ctx, func(tx *store.Store) (err error) {
		if out, ring, err = w.assignSpend(ctx, tx, n, txid, payout); err != nil {
			return err
		}
		return tx.AddAudit(ctx, actor, "wallet.assign", "wallet:"+n.Name, nil, out)
	})
	if err == nil {
		w.ring(ctx, ring...)
	}
	return out, err
}

func (w *Workers) assignSpend(ctx context.Context, tx *store.Store, n *chains.Network, txid string, payout *uuid.UUID) (*store.UnknownSpend, []tasks.Job, error) {
	u, err := w.lostSpend(ctx, tx, n, txid, payout)
	if err != nil {
		return nil, nil, err
	}
	lost, decision := store.SpendLost, store.SpendIgnored
	u.PayoutID = payout
	var deliveries []pay.Delivery
	if payout != nil {
		decision = store.SpendPaid
		p, d, err := completeBy(ctx, tx, u)
		if err != nil {
			return nil, nil, err
		}
		cat, err := w.catalogue.now(ctx, tx)
		if err != nil {
			return nil, nil, err
		}
		restored := ledger.TreasuryRestored(n.Name, cat.asset(u.Token, n.Name), placeInChain(u), u.Amount)
		if _, err := ledger.Post(ctx, tx.Q, restored, ledger.PayoutSettled(p)); err != nil {
			return nil, nil, err
		}
		deliveries = append(deliveries, d)
	}
	u.Decision = &decision
	if err := fenced(tx.DecideSpend(ctx, u, &lost)); err != nil {
		return nil, nil, err
	}
	ring, err := notices(ctx, tx, deliveries)
	return u, ring, err
}

// lostSpend finds the spend of a transaction that is still to be decided, and for a payout the one that has paid it.
func (w *Workers) lostSpend(ctx context.Context, tx *store.Store, n *chains.Network, txid string, payout *uuid.UUID) (*store.UnknownSpend, error) {
	spends, err := tx.SpendsOf(ctx, n.Name, txid)
	if err != nil {
		return nil, err
	}
	var p *pay.Payout
	if payout != nil {
		if p, err = tx.PayoutForUpdate(ctx, *payout); err != nil {
			return nil, err
		}
		if p.Status != pay.PayoutQueued {
			return nil, fmt.Errorf("payout %s is %s: it was signed already", p.ID, p.Status)
		}
	}
	for i := range spends {
		u := &spends[i]
		if u.Decision != nil && *u.Decision == store.SpendLost && (p == nil || pays(n, u, p)) {
			return u, nil
		}
	}
	return nil, fmt.Errorf("no open spend of %s on %s fits", txid, n.Name)
}
