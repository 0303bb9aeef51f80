package api

import (
	"errors"
	"net/http"
	"time"

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

// redeliver records a webhook once more, as an operator's redelivery does, and its audit row with it. While an earlier
// repetition of the same webhook is still to go out, it is answered instead of another one.
func (d *Deliveries) redeliver(c *Call) error {
	var again *pay.Delivery
	status, message := http.StatusCreated, "webhook_redelivered_success"
	err := d.Store.InTx(c.Context(), func(tx *store.Store) error {
		merchant := c.Caller.Merchant.ID
		if _, err := tx.MerchantForUpdate(c.Context(), merchant); err != nil { // one at a time
			return err
		}
		original, err := ofCaller(c, tx)
		if err != nil {
			return err
		}
		again, err = tx.PendingRedelivery(c.Context(), original)
		if !errors.Is(err, pay.ErrNotFound) {
			status, message = http.StatusOK, "webhook_already_redelivered"
			return err
		}
		wait, err := tx.RedeliveryWait(c.Context(), merchant, redeliveries.Requests, redeliveries.Window)
		if err != nil {
			return err
		}
		if wait > 0 {
			c.retryAfter(wait)
			return errRedeliveries(wait)
		}
		again, err = repeat(c, tx, original)
		return err
	})
	if err != nil {
		return err
	}
	return c.JSON(status, WebhookRedelivered{message, webhookDelivery(again)})
}

func errRedeliveries(wait time.Duration) error {
	e := *refusal(errQuota(redeliveries, wait))
	e.Message = "Too many webhooks of this account were sent once more."
	return &e
}

// repeat makes the redelivery; the audit names the key of the request.
func repeat(c *Call, tx *store.Store, original *pay.Delivery) (*pay.Delivery, error) {
	body, err := webhooks.Duplicate(original.Body)
	if err != nil {
		return nil, err
	}
	again, err := tx.Redeliver(c.Context(), original, body, string(tasks.DeliverWebhook))
	if err != nil {
		return nil, err
	}
	after := webhookDelivery(again)
	return again, tx.AddAudit(c.Context(), "key:"+c.Caller.Key.ID, "webhook.redeliver", "delivery:"+original.ID.String(), nil, after)
}
