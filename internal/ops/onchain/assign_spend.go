package onchain

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
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

// AssignSpend records an operator's word on a spend no payout explained when its wallet was resumed: it paid this open payout and
// completes it, or, where payout is nil, it paid no payout. Until then no payout to the same recipient is signed. AssignSpend also
// takes a final spend left to no other act, such as one sent by somebody else, and books it as well. difference is the payout's
// amount minus the spend, as the operator knows it: the treasury's gain, below zero its cost.
func (o *Operator) AssignSpend(ctx context.Context, network, txid string, payout *uuid.UUID,
	difference decimal.Decimal) (*store.UnknownSpend, error) {
	n, err := o.NetworkNamed(network)
	if err != nil {
		return nil, err
	}
	its, err := o.undecidedOf(ctx, n, txid)
	if err != nil {
		return nil, err
	}
	var out *store.UnknownSpend
	err = o.change(ctx, "wallet.assign", "wallet:"+n.Name, func(tx *store.Store) (before, after any, ring []tasks.Job, err error) {
		if its != nil && payout == nil {
			out, err = o.ignore(ctx, tx, n, its)
		} else {
			out, ring, err = o.assignSpend(ctx, tx, n, txid, its, payout, difference)
		}
		return nil, out, ring, err
	})
	return out, err
}

func (o *Operator) assignSpend(ctx context.Context, tx *store.Store, n *chains.Network, txid string, its *undecided, payout *uuid.UUID,
	difference decimal.Decimal) (*store.UnknownSpend, []tasks.Job, error) {
	u, err := o.spendToAssign(ctx, tx, n, txid, its, payout, difference)
	if err != nil {
		return nil, nil, err
	}
	from, decision := u.Decision, store.SpendIgnored
	u.PayoutID = payout
	var deliveries []pay.Delivery
	if payout != nil {
		decision = store.SpendPaid
		p, d, err := settlement.CompleteBy(ctx, tx, u)
		if err != nil {
			return nil, nil, err
		}
		cat, err := o.Catalogue.Now(ctx, tx)
		if err != nil {
			return nil, nil, err
		}
		asset, place := cat.Asset(u.Token, n.Name), settlement.PlaceInChain(u)
		entries := []ledger.Entry{ledger.PayoutSettled(p)}
		if from != nil { // it was booked as lost
			entries = append(entries, ledger.TreasuryRestored(n.Name, asset, place, u.Amount))
		} else {
			costs, err := its.costs(ctx, tx, n)
			if err != nil {
				return nil, nil, err
			}
			entries = append(entries, costs...)
		}
		if !difference.IsZero() {
			entries = append(entries, ledger.TreasuryCorrected(n.Name, asset, "spend:"+place, difference))
		}
		if err := explained(ctx, tx, n, entries...); err != nil {
			return nil, nil, err
		}
		deliveries = append(deliveries, d)
	}
	u.Decision = &decision
	if err := desk.Fenced(tx.DecideSpend(ctx, u, from)); err != nil {
		return nil, nil, err
	}
	ring, err := notices.Record(ctx, tx, deliveries)
	return u, ring, err
}

// spendToAssign finds the spend of a transaction for an operator to assign: a lost one, or, with its, an undecided one. For a payout
// it is the spend that paid it.
func (o *Operator) spendToAssign(ctx context.Context, tx *store.Store, n *chains.Network, txid string, its *undecided, payout *uuid.UUID,
	difference decimal.Decimal) (*store.UnknownSpend, error) {
	if its != nil {
		if err := holds(ctx, tx, its.top); err != nil {
			return nil, err
		}
	}
	spends, err := tx.SpendsOf(ctx, n.Name, txid)
	if err != nil {
		return nil, err
	}
	if its != nil {
		if why := notFinal(spends, its.final); why != "" {
			return nil, errors.New(why)
		}
	}
	var p *pay.Payout
	if payout != nil {
		if p, err = tx.PayoutForUpdate(ctx, *payout); err != nil {
			return nil, err
		}
		unsigned, err := o.signedNothing(ctx, n, p)
		if err != nil {
			return nil, err
		}
		if !unsigned {
			return nil, fmt.Errorf("payout %s is %s: it was signed already", p.ID, p.Status)
		}
	}
	wrong := fmt.Errorf("no open spend of %s on %s fits", txid, n.Name)
	for i := range spends {
		u := &spends[i]
		lost := u.Decision != nil && *u.Decision == store.SpendLost
		switch {
		case p != nil && !settlement.GoesTo(n, u, p):
		case u.UndoneAt != nil && (u.Decision == nil || lost && p != nil):
			wrong = fmt.Errorf("%s is in no block any more: it has paid nobody, as long as it is not mined again", txid)
		case !lost && (its == nil || !u.Open()):
		case p == nil || p.Amount.Sub(u.Amount).Equal(difference):
			return u, nil
		default:
			wrong = fmt.Errorf("%s has paid %s %s, and the payout asks for %s: give --difference %s if it is the payout that was paid",
				txid, u.Amount, u.Token, p.Amount, p.Amount.Sub(u.Amount))
		}
	}
	return nil, wrong
}
