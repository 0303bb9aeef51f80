// Package notices records webhooks that tell merchants of a change, in the transaction of the change.
package notices

import (
	"context"
	"iter"
	"slices"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
	"causeway/tasks"
)

// Record records deliveries with their jobs and returns the jobs to ring after the commit. A delivery without an address is none:
// payouts of the panel tell nobody.
func Record(ctx context.Context, tx *store.Store, deliveries []pay.Delivery) ([]tasks.Job, error) {
	deliveries = slices.DeleteFunc(deliveries, func(d pay.Delivery) bool { return d.URL == "" })
	if err := tx.AddDeliveries(ctx, deliveries); err != nil {
		return nil, err
	}
	jobs := make([]tasks.Job, len(deliveries))
	ids := make([]uuid.UUID, len(deliveries))
	for i, d := range deliveries {
		ids[i] = d.ID
		jobs[i] = tasks.Job{Kind: tasks.DeliverWebhook, Ref: d.ID}
	}
	return jobs, tx.AddJobs(ctx, string(tasks.DeliverWebhook), ids, tasks.RingDelay)
}

// OfPayin adds the webhook of a payin to told, unless there is nowhere to send it. urls are of URLs; u is nil but for
// payment_updated.
func OfPayin(told []pay.Delivery, event pay.Event, p *pay.Payin, transfers *pay.PayinTransfers, u *webhooks.Update,
	urls map[uuid.UUID]string) ([]pay.Delivery, error) {
	if _, panel := pay.OfPanel(p.KeyID); panel {
		return told, nil
	}
	url := p.WebhookURL
	if p.WalletID != nil {
		url = urls[p.MerchantID]
	}
	if url == "" {
		return told, nil
	}
	d, err := webhooks.PayinDelivery(event, p, transfers, u, url)
	return append(told, d), err
}

// URLs returns the current webhook addresses, by merchant, for payins of fixed wallets; an address may be empty (api-v1 §Events).
func URLs(ctx context.Context, tx *store.Store, payins iter.Seq[*pay.Payin]) (map[uuid.UUID]string, error) {
	merchants := map[uuid.UUID]bool{}
	for p := range payins {
		if p.WalletID != nil {
			merchants[p.MerchantID] = true
		}
	}
	urls := make(map[uuid.UUID]string, len(merchants))
	known, err := tx.Merchants(ctx, store.InOrder(merchants))
	for id, m := range known {
		urls[id] = m.WalletsWebhook
	}
	return urls, err
}
