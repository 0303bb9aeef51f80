package api

import (
	"encoding/json"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/webhooks"
)

// noticed is the money in every example of a payin, notice or record.
type noticed struct {
	Status         string             `json:"status"`
	CryptoAmount   string             `json:"crypto_amount"`
	CryptoCurrency string             `json:"crypto_currency"`
	ReceivedAmount string             `json:"received_amount"`
	PaymentStatus  *string            `json:"payment_status"`
	Payments       []webhooks.Payment `json:"payments"`
	Txid           *string            `json:"txid"`
	FundsAvailable bool               `json:"funds_available"`
	FinalityStatus string             `json:"finality_status"`
	Reversal       *webhooks.Reversal `json:"reversal"`
	Late           bool               `json:"late"`
}

// agrees reports whether payments, received_amount, payment_status and reversal fit each other (addendum §8 and §13).
func (n *noticed) agrees(t *testing.T, name string) {
	t.Helper()
	received, amount, sum := decimal.RequireFromString(n.ReceivedAmount), decimal.RequireFromString(n.CryptoAmount), decimal.Zero
	for _, p := range n.Payments {
		if p.ConvertedTo != nil {
			sum = sum.Add(decimal.RequireFromString(p.ConvertedTo.Amount))
			continue
		}
		sum = sum.Add(decimal.RequireFromString(p.Amount))
	}
	want := []string{"partial", "exact", "overpaid"}[received.Cmp(amount)+1]
	switch {
	case !sum.Equal(received):
		t.Errorf("%s: payments of %s, and %s received", name, sum, received)
	case len(n.Payments) == 0 && n.PaymentStatus != nil, len(n.Payments) > 0 && (n.PaymentStatus == nil || *n.PaymentStatus != want):
		t.Errorf("%s: payment_status %v after %d payments of %s", name, n.PaymentStatus, len(n.Payments), received)
	case n.Late:
		t.Errorf("%s: it is late", name)
	case n.Reversal != nil && n.Reversal.Partial != (len(n.Payments) > 0):
		t.Errorf("%s: partial is %v, with %d payments", name, n.Reversal.Partial, len(n.Payments))
	}
}

// The examples of webhooks are as the service sends them at their event: integrators build on the contract by them.
func TestExamplesOfWebhooksFitTheirEvents(t *testing.T) {
	t.Parallel()
	for event, want := range map[pay.Event]struct {
		status, received, finality  string
		payments                    int
		named, available, takenBack bool
	}{
		pay.PaymentDetected:  {status: "pending", received: "0", finality: "pending", named: true},
		pay.PaymentConfirmed: {status: "success", received: "12.5", finality: "pending", payments: 1, named: true},
		pay.PaymentFailed:    {status: "failed", received: "0", finality: "pending"},
		pay.PaymentReversed:  {status: "reversed", received: "0", finality: "pending", named: true, takenBack: true},
	} {
		body := payinNoticeOf(t, event)
		body.agrees(t, string(event))
		if body.Status != want.status || body.ReceivedAmount != want.received || len(body.Payments) != want.payments ||
			(body.Txid != nil) != want.named ||
			body.FundsAvailable != want.available || body.FinalityStatus != want.finality || (body.Reversal != nil) != want.takenBack {
			t.Errorf("%s: %+v", event, body)
		}
		if body.Reversal != nil && body.Reversal.Amounts[body.CryptoCurrency].String() != body.CryptoAmount {
			t.Errorf("%s: %+v was taken back of %s", event, body.Reversal, body.CryptoAmount)
		}
	}
}

// payinNoticeOf reads the example of a payin's webhook, and holds its event against where it stands.
func payinNoticeOf(t *testing.T, event pay.Event) noticed {
	t.Helper()
	var read struct {
		Data  noticed
		Event pay.Event
	}
	for _, n := range docNotices {
		for _, e := range n.Examples {
			if pay.Event(n.Event) != event || e.Name != "payin" {
				continue
			}
			if body, is := e.Value.(json.RawMessage); !is || json.Unmarshal(body, &read) != nil || read.Event != event {
				t.Fatalf("%s: %v", event, e.Value)
			}
			return read.Data
		}
	}
	t.Fatalf("%s has no example of a payin", event)
	return read.Data
}

// A list answers the entries its filter lets through, and its totals count these.
func TestExamplesOfListsFitTheirFilters(t *testing.T) {
	t.Parallel()
	payins, payouts := docListPayins.Answers[0].Sample.(PayinList), docListPayouts.Answers[0].Sample.(PayoutList)
	for _, p := range payins.Deposits {
		if filter := payins.Meta.Filters["status"]; filter != p.Status {
			t.Errorf("a payin is %s under the filter %s", p.Status, filter)
		}
	}
	for _, p := range payouts.Payments {
		if filter := payouts.Meta.Filters["status"]; filter != p.Status {
			t.Errorf("a payout is %s under the filter %s", p.Status, filter)
		}
	}
	text, err := json.Marshal(samplePayinRecord)
	if err != nil {
		t.Fatal(err)
	}
	var record noticed
	if err := json.Unmarshal(text, &record); err != nil {
		t.Fatal(err)
	}
	record.agrees(t, "the record")
}
