package webhooks

import (
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

// PayoutDelivery is the webhook telling a payout's merchant of an event just past; see PayoutBody.
func PayoutDelivery(event pay.Event, p *pay.Payout) (pay.Delivery, error) {
	body, err := PayoutBody(event, p, time.Now())
	return delivery(p.MerchantID, p.ID, p.WebhookURL, event, body), err
}

// PayinDelivery is the webhook telling a payin's merchant, at url, of an event just past; see PayinBody.
func PayinDelivery(event pay.Event, p *pay.Payin, transfers *pay.PayinTransfers, u *Update, url string) (pay.Delivery, error) {
	body, err := PayinBody(event, p, transfers, u, time.Now())
	return delivery(p.MerchantID, p.ID, url, event, body), err
}

func delivery(merchant, subject uuid.UUID, url string, event pay.Event, body []byte) pay.Delivery {
	return pay.Delivery{ID: uuid.Must(uuid.NewV7()), MerchantID: merchant, Subject: subject, Event: event, URL: url, Body: body}
}
