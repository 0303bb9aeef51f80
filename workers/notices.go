package workers

import (
	"context"

	"github.com/google/uuid"

	"causeway/pay"
	"causeway/store"
	"causeway/tasks"
	"causeway/webhooks"
)

// notices records deliveries with their jobs and returns the jobs to ring after the commit.
func notices(ctx context.Context, tx *store.Store, deliveries []pay.Delivery) ([]tasks.Job, error) {
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

// addNotice adds the webhook of a payin to what is told, unless there is nowhere to send it.
func addNotice(ctx context.Context, tx *store.Store, told []pay.Delivery, event pay.Event, p *pay.Payin,
	transfers []pay.Transfer) ([]pay.Delivery, error) {
	url, err := noticeURL(ctx, tx, p)
	if err != nil || url == "" {
		return told, err
	}
	d, err := webhooks.PayinDelivery(event, p, transfers, url)
	return append(told, d), err
}

// noticeURL returns where a payin's merchant is told of it: for a fixed wallet's where the merchant wants that now, which
// may be nowhere (api-v1 §Events).
func noticeURL(ctx context.Context, tx *store.Store, p *pay.Payin) (string, error) {
	if p.WalletID == nil {
		return p.WebhookURL, nil
	}
	m, err := tx.Merchant(ctx, p.MerchantID)
	return m.WalletsWebhook, err
}
