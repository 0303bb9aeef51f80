package onchain

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
	"causeway/ledger"
	"causeway/tasks"
	"causeway/workers/desk"
	"causeway/workers/notices"
	"causeway/workers/settlement"
)

// AmissDecision is an operator's decision on a payout with a final payment of another amount.
type AmissDecision struct {
	Payout uuid.UUID        `json:"payout"`
	Status pay.PayoutStatus `json:"status"`
	store.AmissPayment
}

// DecidePayout ends a payout with a final payment of another amount than it asked for. If it is completed, the merchant has paid all
// of it, and the amount left in the hot wallet is the treasury's: the operator has paid the rest otherwise, or the recipient takes
// less. If it is refunded, the merchant gets the whole debit back, and the amount gone from the hot wallet is the treasury's cost.
func (o *Operator) DecidePayout(ctx context.Context, payout uuid.UUID, completed bool) (*AmissDecision, error) {
	var out *AmissDecision
	err := o.change(ctx, "payout.decide", "payout:"+payout.String(), func(tx *store.Store) (before, after any, ring []tasks.Job, err error) {
		p, err := tx.PayoutForUpdate(ctx, payout)
		if err != nil {
			return nil, nil, nil, err
		}
		before = map[string]string{"status": string(p.Status)}
		a, err := tx.TakeAmiss(ctx, p.ID)
		if err != nil {
			return nil, nil, nil, err
		}
		if a == nil || p.Status.Ended() {
			return nil, nil, nil, fmt.Errorf("payout %s is %s: only one whose final payment moved another amount than it asks for is decided on", p.ID, p.Status)
		}
		if err := settlement.Held(ctx, tx, p); err != nil {
			return nil, nil, nil, err
		}
		end := refundAmiss
		if completed {
			end = completeAmiss
		}
		entries, deliveries, err := end(ctx, tx, p, a)
		if err != nil {
			return nil, nil, nil, err
		}
		if _, err := ledger.Post(ctx, tx.Q, entries...); err != nil {
			return nil, nil, nil, err
		}
		ring, err = notices.Record(ctx, tx, deliveries)
		if err != nil {
			return nil, nil, nil, err
		}
		out = &AmissDecision{p.ID, p.Status, *a}
		return before, out, ring, nil
	})
	return out, err
}

func completeAmiss(ctx context.Context, tx *store.Store, p *pay.Payout, a *store.AmissPayment) ([]ledger.Entry, []pay.Delivery, error) {
	p.Txid = &a.Txid
	if err := desk.Fenced(tx.MovePayout(ctx, p, pay.PayoutCompleted)); err != nil {
		return nil, nil, err
	}
	if err := tx.TellRefunded(ctx, p.ID); err != nil {
		return nil, nil, err
	}
	entries := []ledger.Entry{ledger.PayoutSettled(p)}
	if kept := p.Amount.Sub(a.Spent); !kept.IsZero() {
		entries = append(entries, ledger.TreasuryCorrected(p.Network, p.Asset, "payout:"+p.ID.String(), kept))
	}
	d, err := webhooks.PayoutDelivery(pay.PaymentProcessed, p)
	return entries, []pay.Delivery{d}, err
}

func refundAmiss(ctx context.Context, tx *store.Store, p *pay.Payout, a *store.AmissPayment) ([]ledger.Entry, []pay.Delivery, error) {
	p.Reason = new(settlement.NotCarriedOut)
	entries, deliveries, err := settlement.Refunds(ctx, tx, []*pay.Payout{p})
	if !a.Spent.IsZero() {
		entries = append(entries, ledger.TreasuryCorrected(p.Network, p.Asset, "payout:"+p.ID.String(), a.Spent.Neg()))
	}
	return entries, deliveries, err
}
