package onchain

import (
	"context"

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

// BookedSpend is a transaction with the nonce of a payout, and the payout's status after booking it.
type BookedSpend struct {
	Network string               `json:"network"`
	Txid    string               `json:"txid"`
	Nonce   int64                `json:"nonce"`
	Spends  []store.UnknownSpend `json:"spends"` // from the hot wallet
	Payout  uuid.UUID            `json:"payout"` // signed for this nonce
	Status  pay.PayoutStatus     `json:"status"` // of the payout now
	cost    decimal.Decimal
	height  int64            // of its block
	top     store.ChainBlock // followed last when its network was asked
}

// BookSpend ends a payout whose nonce was taken by a transaction of its hot wallet unknown to our books. With that transaction in a
// final block, nothing signed for the payout can ever be mined. The payout is completed if the transaction paid exactly it, and
// failed and refunded otherwise. Other spends of the transaction are the treasury's cost until an operator explains them, as with
// ResumeWallet. Nothing is changed without that proof. A payout ended already stays as it is: the transaction with its nonce after a
// reorganisation is booked, and shown to an operator where it contradicts that end.
func (o *Operator) BookSpend(ctx context.Context, network, txid string) (*BookedSpend, error) {
	n, err := o.NetworkNamed(network)
	if err != nil {
		return nil, err
	}
	b, err := o.takenNonce(ctx, n, txid)
	if err != nil {
		return nil, err
	}
	err = o.change(ctx, "wallet.book", "wallet:"+n.Name, func(tx *store.Store) (before, after any, ring []tasks.Job, err error) {
		ring, err = o.bookTaken(ctx, tx, n, b)
		return nil, b, ring, err
	})
	return b, err
}

// bookTaken ends the payout and books the transaction.
func (o *Operator) bookTaken(ctx context.Context, tx *store.Store, n *chains.Network, b *BookedSpend) ([]tasks.Job, error) {
	if err := holds(ctx, tx, b.top); err != nil {
		return nil, err
	}
	p, others, err := stillWithout(ctx, tx, n, b)
	if err != nil {
		return nil, err
	}
	entries, by, err := o.bookOf(ctx, tx, n, b, p, others)
	if err != nil {
		return nil, err
	}
	if p.Status.Ended() {
		return nil, takenAgain(ctx, tx, n, b, p, by, entries)
	}
	ended, deliveries, err := endTaken(ctx, tx, p, by)
	if err != nil {
		return nil, err
	}
	if err := explained(ctx, tx, n, append(entries, ended...)...); err != nil {
		return nil, err
	}
	b.Status = pay.PayoutRefunded
	if by != nil {
		b.Status = pay.PayoutCompleted
	}
	return notices.Record(ctx, tx, deliveries)
}

// takenAgain books a transaction with the nonce of an ended payout, after a reorganisation undid the payout's own.
func takenAgain(ctx context.Context, tx *store.Store, n *chains.Network, b *BookedSpend, p *pay.Payout, by *store.UnknownSpend,
	entries []ledger.Entry) error {
	b.Status = p.Status
	if err := explained(ctx, tx, n, entries...); err != nil {
		return err
	}
	switch {
	case settlement.Contradicts(p, by != nil):
		return tx.AddContrary(ctx, []*pay.SignedTransaction{{Network: b.Network, Txid: b.Txid, PayoutID: p.ID}})
	case by != nil:
		p.Txid = &b.Txid
		return tx.PaidBy(ctx, []*pay.Payout{p})
	default:
		return nil
	}
}

// bookOf decides on all spends of a transaction, and returns its entries and the payment of the payout, or nil. Costs booked for
// others of its nonce are given back, as when following.
func (o *Operator) bookOf(ctx context.Context, tx *store.Store, n *chains.Network, b *BookedSpend, p *pay.Payout,
	others []string) (entries []ledger.Entry, by *store.UnknownSpend, err error) {
	cat, err := o.Catalogue.Now(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	if b.Spends, err = tx.SpendsOf(ctx, n.Name, b.Txid); err != nil {
		return nil, nil, err
	}
	booked, err := tx.GasBooked(ctx, settlement.GasOf(n, append(others, b.Txid)))
	if err != nil {
		return nil, nil, err
	}
	entries = settlement.CostOf(n, b.Txid, b.cost, others, booked)
	for i := range b.Spends {
		u := &b.Spends[i]
		from, decision, asset := u.Decision, store.SpendLost, cat.Asset(u.Token, n.Name)
		lost := from != nil && *from == store.SpendLost
		switch {
		case u.UndoneAt != nil:
			continue // the transaction moved it in an undone block, and does not where it is now
		case by == nil && settlement.Pays(n, u, p) && (u.PayoutID != nil && *u.PayoutID == p.ID || p.Status == pay.PayoutRefunded):
			by = u // it was booked before it was undone, or is the treasury's cost beside the refund
			if from != nil {
				continue
			}
			entries = append(entries, ledger.TreasuryLost(n.Name, asset, settlement.PlaceInChain(u), u.Amount))
		case by == nil && settlement.Pays(n, u, p) && (from == nil || lost):
			by, decision, u.PayoutID = u, store.SpendPaid, &p.ID
			if lost {
				entries = append(entries, ledger.TreasuryRestored(n.Name, asset, settlement.PlaceInChain(u), u.Amount))
			}
		case from == nil:
			entries = append(entries, ledger.TreasuryLost(n.Name, asset, settlement.PlaceInChain(u), u.Amount))
		default:
			continue
		}
		u.Decision = &decision
		if err := desk.Fenced(tx.DecideSpend(ctx, u, from)); err != nil {
			return nil, nil, err
		}
	}
	return entries, by, nil
}

// endTaken completes a payout by its payment, or fails and refunds it without one.
func endTaken(ctx context.Context, tx *store.Store, p *pay.Payout, by *store.UnknownSpend) ([]ledger.Entry, []pay.Delivery, error) {
	if by != nil {
		paid, d, err := settlement.CompleteBy(ctx, tx, by)
		if err != nil {
			return nil, nil, err
		}
		return []ledger.Entry{ledger.PayoutSettled(paid)}, []pay.Delivery{d}, nil
	}
	if err := settlement.Held(ctx, tx, p); err != nil {
		return nil, nil, err
	}
	p.Reason = new(settlement.NotCarriedOut)
	return settlement.Refunds(ctx, tx, []*pay.Payout{p})
}
