package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/web/openapi"
	"causeway/internal/webhooks"
)

// eitherNotice is the body of payment_failed, sent for payouts and payins.
type eitherNotice struct{}

// JSONSchemaOneOf names the forms for the OpenAPI document.
func (eitherNotice) JSONSchemaOneOf() []any {
	return []any{webhooks.PayoutNotice{}, webhooks.PayinNotice{}}
}

// docNotices are the webhooks (api-v1 §Events). Their bodies and examples have the types written by the service.
var docNotices = []openapi.Notice{
	{Event: "payment_processed", Summary: "A payout's transfer is done", Body: webhooks.PayoutNotice{},
		Examples: []openapi.Example{payoutExample(pay.PaymentProcessed)}},
	{Event: "payment_failed", Summary: "A payout or payin cannot be completed", Body: eitherNotice{},
		Examples: []openapi.Example{payoutExample(pay.PaymentFailed), payinExample(pay.PaymentFailed)}},
	{Event: "payment_detected", Summary: "A transfer was seen", Body: webhooks.PayinNotice{},
		Examples: []openapi.Example{payinExample(pay.PaymentDetected)}},
	{Event: "payment_confirmed", Summary: "A payin is completed", Body: webhooks.PayinNotice{},
		Examples: []openapi.Example{payinExample(pay.PaymentConfirmed)}},
	{Event: "payment_reversed", Summary: "The network undid a credited payin", Body: webhooks.PayinNotice{},
		Examples: []openapi.Example{payinExample(pay.PaymentReversed)}},
	{Event: "payment_updated", Summary: "The money of a payin changed, and no other event says so (extension)", Body: webhooks.PayinNotice{},
		Examples: []openapi.Example{payinExample(pay.PaymentUpdated)}},
}

// notices are docNotices with how to verify them.
func notices(names headerNames) []openapi.Notice {
	out := slices.Clone(docNotices)
	for i := range out {
		out[i].Description = fmt.Sprintf(signedNotice, names.signature, names.timestamp, names.delivery)
	}
	return out
}

const signedNotice = "Sent with %s (`v1=<hex>`, comma-separated while a secret is rotated), %s and " +
	"%s. Signed is `v1\\n{timestamp}\\n{delivery}\\n{sha256hex(body)}` by HMAC-SHA256 under the account's webhook secret. " +
	"Verify it, and deduplicate by data.internal_reference together with event; " +
	"after a payment_reversed forget what came of that payin: its money may come back, and is confirmed again. " +
	"Each payment_updated is news: deduplicate it by its delivery id."

var sampleAt = time.Date(2026, 11, 20, 13, 45, 0, 0, time.UTC)

func payoutExample(event pay.Event) openapi.Example {
	txid := sampleTxid
	p := pay.Payout{ID: uuid.MustParse(samplePayoutID), ReferenceID: "order-2026-0001", Wallet: sampleWallet, Token: "USDT", Network: "Tron",
		Amount: decimal.New(125, -1), FiatCurrency: "USD", FiatAmount: decimal.NewNullDecimal(decimal.New(125, -1)),
		NetworkFee: decimal.NewFromInt(1)}
	if event == pay.PaymentProcessed {
		p.Txid = &txid
	}
	return noticeExample("payout", event, func() ([]byte, error) { return webhooks.PayoutBody(event, &p, sampleAt) })
}

// payinExample is a payin of one transfer at its event: seen, credited and not final yet, never paid, taken back as a whole, or credited
// in part.
func payinExample(event pay.Event) openapi.Example {
	amount := decimal.New(125, -1)
	p := pay.Payin{ID: samplePayinID, ReferenceID: "order-2026-0001", Wallet: sampleWallet, Token: "USDT", Network: "Tron", Amount: amount,
		FiatCurrency: "USD", FiatAmount: decimal.NewNullDecimal(amount), ExpiresAt: sampleAt.Add(time.Hour)}
	t := pay.Transfer{Token: "USDT", Network: "Tron", Txid: sampleTxid, Amount: amount, SeenAt: sampleAt, Status: pay.TransferSeen}
	transfers := []pay.Transfer{}
	var update *webhooks.Update
	p.Status = pay.PayinPending
	switch event {
	case pay.PaymentFailed:
		p.Status = pay.PayinFailed
	case pay.PaymentUpdated:
		part := decimal.NewFromInt(5)
		t.Amount, t.Credited, t.Counted, t.Credits, t.Status = part, part, part, 1, pay.TransferCredited
		transfers, p.Received = append(transfers, t), part
		update = &webhooks.Update{Reason: pay.UpdatePartial, Transfers: transfers}
	case pay.PaymentDetected:
		transfers = append(transfers, t)
	case pay.PaymentConfirmed:
		t.Credited, t.Counted, t.Credits, t.Status = amount, amount, 1, pay.TransferCredited
		transfers, p.Received, p.Status = append(transfers, t), amount, pay.PayinCompleted
	case pay.PaymentReversed:
		t.Credited, t.Counted, t.Credits, t.Status = amount, amount, 1, pay.TransferDropped
		p.Status = pay.PayinReversed
		transfers, p.ReversedAt, p.Reversal = append(transfers, t), &sampleAt, json.RawMessage(`{"USDT":"12.5"}`)
	}
	return noticeExample("payin", event, func() ([]byte, error) {
		return webhooks.PayinBody(event, &p, &pay.PayinTransfers{Shown: transfers}, update, sampleAt)
	})
}

// noticeExample takes a body written by the service. A failure to write it shows as a text no schema fits.
func noticeExample(name string, event pay.Event, write func() ([]byte, error)) openapi.Example {
	body, err := write()
	if err != nil {
		return openapi.Example{Name: name, Value: err.Error()}
	}
	return openapi.Example{Name: name, Summary: string(event), Value: json.RawMessage(body)}
}
