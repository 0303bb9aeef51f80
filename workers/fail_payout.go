package workers

import (
	"context"
	"time"

	"github.com/google/uuid"

	"causeway/ledger"
	"causeway/pay"
	"causeway/store"
	"causeway/tasks"
	"causeway/webhooks"
)

// failPayouts fails and refunds payouts of which it is proven that nothing was, or can still be, broadcast, or that
// moved nothing (addendum §7). The caller has that proof. One transaction: nobody sees a failure without its refund.
func failPayouts(ctx context.Context, tx *store.Store, reason string, payouts ...*pay.Payout) ([]tasks.Job, error) {
	var entries []ledger.Entry
	var deliveries []pay.Delivery
	for _, p := range payouts {
		p.Reason = &reason
		if err := fenced(tx.MovePayout(ctx, p, pay.PayoutFailed)); err != nil {
			return nil, err
		}
		d, err := payoutNotice(pay.PaymentFailed, p)
		if err != nil {
			return nil, err
		}
		if err := fenced(tx.MovePayout(ctx, p, pay.PayoutRefunded)); err != nil {
			return nil, err
		}
		entries = append(entries, ledger.PayoutRefunded(p))
		deliveries = append(deliveries, d)
	}
	if _, err := ledger.Post(ctx, tx.Q, entries...); err != nil {
		return nil, err
	}
	return notices(ctx, tx, deliveries)
}

// payoutNotice builds the webhook of a payout.
func payoutNotice(event pay.Event, p *pay.Payout) (pay.Delivery, error) {
	body, err := webhooks.PayoutBody(event, p, time.Now())
	return pay.Delivery{ID: uuid.Must(uuid.NewV7()), MerchantID: p.MerchantID, Subject: p.ID, Event: event, URL: p.WebhookURL, Body: body}, err
}
