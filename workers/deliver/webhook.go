// Package deliver sends webhooks: one try for each attempt of a job.
package deliver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
	"causeway/workers/desk"
)

// behindEarlier is how long a delivery waits while an earlier one of its subject is still to go out; the end of the earlier one wakes
// it sooner.
const behindEarlier = 10 * time.Minute

// Worker sends webhooks.
type Worker struct {
	*desk.Desk
	Secrets  *vault.Vault
	Webhooks *webhooks.Client

	deliveries deliveryGroups
}

// DeliverWebhook makes one try of a delivery and plans the next by the schedule of addendum §11. Deliveries of one payin
// or payout go out in order.
func (w *Worker) DeliverWebhook(ctx context.Context, j store.DueJob) error {
	started, err := w.deliveries.started.Do(ctx, j, w.startDeliveries)
	if err != nil {
		return err
	}
	if started == nil { // the job is another attempt's, or has no delivery
		if err := desk.Start(ctx, w.Store, j); err != nil {
			return err
		}
		return fmt.Errorf("delivery %s: %w", j.Ref, pay.ErrNotFound)
	}
	d := &started.Delivery
	if d.Status != "pending" {
		_, err := w.Store.FinishJob(ctx, j)
		return err
	}
	if after := w.Webhooks.Shut(d.MerchantID, d.URL); after > 0 { // before anything else is read for it: there may be thousands
		return desk.Fenced(w.Store.RetryJob(ctx, j, after, "many tries to this receiver are under way, and it does not answer"))
	}
	if started.Waits {
		if waits, err := w.waitsForEarlier(ctx, j, d); err != nil || waits {
			return err
		}
	}
	secrets, err := w.Secrets.WebhookSecrets(started.MerchantID.String(), started.WebhookSecret, started.WebhookSecretOld)
	if err != nil {
		return err
	}
	sent := w.Webhooks.Send(ctx, webhooks.Delivery{ID: d.ID.String(), Merchant: d.MerchantID, URL: d.URL, Secrets: secrets, Body: d.Body})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), desk.NoteWithin)
	defer cancel()
	if sent.Skipped {
		return desk.Fenced(w.Store.RetryJob(ctx, j, max(sent.RetryAfter, time.Second), sent.Error))
	}
	return w.recordAttempt(ctx, j, d, sent)
}

// waitsForEarlier puts the job off while an earlier delivery of its subject is still to go out. It looks once more while holding the
// job's row: the end of the earlier delivery wakes this job, so it is seen here or comes after.
func (w *Worker) waitsForEarlier(ctx context.Context, j store.DueJob, d *pay.Delivery) (waits bool, err error) {
	err = w.Store.InTx(ctx, func(tx *store.Store) error {
		if err := desk.Start(ctx, tx, j); err != nil {
			return err
		}
		if waits, err = tx.EarlierPending(ctx, d); err != nil || !waits {
			return err
		}
		return desk.Fenced(tx.RetryJob(ctx, j, behindEarlier, "an earlier delivery is still to go out"))
	})
	return waits, err
}

// recordAttempt keeps the try and finishes or replans the job. The end of a delivery wakes the next of its subject.
func (w *Worker) recordAttempt(ctx context.Context, j store.DueJob, d *pay.Delivery, sent webhooks.Attempt) error {
	tried := pay.Attempt{Attempt: d.Attempts + 1, Status: sent.Status, Error: sent.Error, DurationMS: int(sent.Duration.Milliseconds()),
		AnswerHead: sent.AnswerHead, AnswerBody: sent.AnswerBody}
	delay, exhausted := webhooks.Next(tried.Attempt, rand.Float64)
	status := pay.DeliveryPending
	switch {
	case sent.Outcome == webhooks.Delivered:
		status = pay.DeliveryDelivered
	case sent.Outcome == webhooks.Gone || exhausted:
		status = pay.DeliveryExhausted
	}
	if status != pay.DeliveryPending {
		_, err := w.deliveries.ended.Do(ctx, store.DeliveryEnd{Job: j, Attempt: tried, Status: status}, w.endDeliveries)
		return err
	}
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if err := tx.AddAttempt(ctx, d, tried, status); err != nil {
			return err
		}
		return desk.Fenced(tx.RetryJob(ctx, j, max(delay, sent.RetryAfter), sent.Error))
	})
}
