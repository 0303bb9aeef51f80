package settlement

import (
	"context"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
	"causeway/ledger"
	"causeway/tasks"
	"causeway/workers/desk"
	"causeway/workers/notices"
)

// The reasons told to a failed payout's merchant: its network has decided against it, or an operator has, before it was signed or by
// a transaction taking its nonce.
const (
	NotCarriedOut = "the network did not carry it out"
	Cancelled     = "cancelled by the operator"
)

// Fail fails and refunds a payout after proof that nothing was, or can still be, broadcast (addendum §7). The caller has the proof.
// One transaction: nobody sees a failure without its refund.
func Fail(ctx context.Context, tx *store.Store, p *pay.Payout, reason string) ([]tasks.Job, error) {
	p.Reason = &reason
	if err := Held(ctx, tx, p); err != nil {
		return nil, err
	}
	entries, deliveries, err := Refunds(ctx, tx, []*pay.Payout{p})
	if err != nil {
		return nil, err
	}
	if _, err := ledger.Post(ctx, tx.Q, entries...); err != nil {
		return nil, err
	}
	return notices.Record(ctx, tx, deliveries)
}

// Refunds fails and refunds payouts that have their reasons, as Fail does with one, and tells people of it. Its caller must post the entries and record the
// deliveries in the same transaction. The caller has seen the ledger hold their debits. The proof may also be that the broadcast
// transaction moved nothing.
func Refunds(ctx context.Context, tx *store.Store, payouts []*pay.Payout) (entries []ledger.Entry, deliveries []pay.Delivery, err error) {
	for _, p := range payouts {
		if err := desk.Fenced(tx.MovePayout(ctx, p, pay.PayoutFailed)); err != nil {
			return nil, nil, err
		}
		d, err := webhooks.PayoutDelivery(pay.PaymentFailed, p)
		if err != nil {
			return nil, nil, err
		}
		if err := desk.Fenced(tx.MovePayout(ctx, p, pay.PayoutRefunded)); err != nil {
			return nil, nil, err
		}
		entries, deliveries = append(entries, ledger.PayoutRefunded(p)), append(deliveries, d)
	}
	return entries, deliveries, notices.TellFailed(ctx, tx, payouts)
}

// Contradicts reports whether a final transaction is against the end of its payout: a refunded payout was paid, or a completed one
// was not.
func Contradicts(p *pay.Payout, paid bool) bool {
	return paid != (p.Status == pay.PayoutCompleted)
}
