package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/webhooks"
	"causeway/tasks"
)

// redeliveries limits the webhooks an account may have sent once more: each is a request to an address chosen by the
// account, and up to ten more when it fails.
var redeliveries = Quota{Requests: 100, Window: time.Hour}

// WebhookRedelivered is the answer to POST /v1/webhook-deliveries/{id}/redeliver.
type WebhookRedelivered struct {
	Message  string          `json:"message"`
	Delivery WebhookDelivery `json:"delivery"`
}

// redeliver sends a webhook of the caller once more. The audit names the key of the request.
func (d *Deliveries) redeliver(c *Call) error {
	original, err := ofCaller(c, d.Store)
	if err != nil {
		return err
	}
	again, err := d.Again(c.Context(), c.Caller.Merchant.ID, original.ID, "key:"+c.Caller.Key.ID)
	switch {
	case errors.Is(err, pay.ErrNotFound):
		return errDeliveryUnknown
	case err != nil:
		return err
	case again.Wait > 0:
		c.retryAfter(again.Wait)
		return errRedeliveries(again.Wait)
	case again.Already:
		return c.JSON(http.StatusOK, WebhookRedelivered{"webhook_already_redelivered", webhookDelivery(again.Delivery)})
	}
	return c.JSON(http.StatusCreated, WebhookRedelivered{"webhook_redelivered_success", webhookDelivery(again.Delivery)})
}

func errRedeliveries(wait time.Duration) error {
	e := *refusal(errQuota(redeliveries, wait))
	e.Message = "Too many webhooks of this account were sent once more."
	return &e
}

// Redelivery is a webhook that is sent once more. Already: an earlier repetition is still to go out, and is this one. With Wait nothing
// was recorded: there were too many within the hour.
type Redelivery struct {
	Delivery *pay.Delivery
	Already  bool
	Wait     time.Duration
}

// Again records a webhook of a merchant once more, as an operator's redelivery does, and its audit row with it. It is pay.ErrNotFound
// when the merchant has no webhook of this id.
func (d *Deliveries) Again(ctx context.Context, merchant, id uuid.UUID, actor string) (out Redelivery, err error) {
	err = d.Store.InTx(ctx, func(tx *store.Store) error {
		out = Redelivery{}
		if _, err := tx.MerchantForUpdate(ctx, merchant); err != nil { // one at a time
			return err
		}
		original, err := tx.MerchantDelivery(ctx, merchant, id)
		if err != nil {
			return err
		}
		pending, err := tx.PendingRedelivery(ctx, original)
		if !errors.Is(err, pay.ErrNotFound) {
			out.Delivery, out.Already = pending, true
			return err
		}
		out.Wait, err = tx.RedeliveryWait(ctx, merchant, redeliveries.Requests, redeliveries.Window)
		if err != nil || out.Wait > 0 {
			return err
		}
		out.Delivery, err = repeat(ctx, tx, original, actor)
		return err
	})
	return out, err
}

// repeat makes the redelivery.
func repeat(ctx context.Context, tx *store.Store, original *pay.Delivery, actor string) (*pay.Delivery, error) {
	body, err := webhooks.Duplicate(original.Body)
	if err != nil {
		return nil, err
	}
	again, err := tx.Redeliver(ctx, original, body, string(tasks.DeliverWebhook))
	if err != nil {
		return nil, err
	}
	after := struct {
		MerchantID uuid.UUID `json:"merchant_id"`
		WebhookDelivery
	}{again.MerchantID, webhookDelivery(again)}
	return again, tx.AddAudit(ctx, actor, "webhook.redeliver", "delivery:"+original.ID.String(), nil, after)
}
