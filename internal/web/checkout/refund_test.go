package checkout_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/dev/browser"
	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/internal/web/checkout"
)

// refunds is a fake of the refunds: it knows one link, pays once, and refuses what the real ones refuse: a short address, a missing memo, a
// payout that brings less than was shown, and a link that has ended.
type refunds struct {
	mu       sync.Mutex
	promised pay.Promised
	fee      decimal.Decimal
	refusal  error
}

func (q *refunds) Promised(_ context.Context, link string) (*pay.Promised, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if link != theLink {
		return nil, pay.ErrNotFound
	}
	out := q.promised
	return &out, nil
}

func (q *refunds) Rehearse(_ context.Context, _ string, to pay.Destination) (*pay.Payout, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.would(to)
}

func (q *refunds) would(to pay.Destination) (*pay.Payout, error) {
	switch {
	case q.promised.Status != pay.RefundOpen:
		return nil, pay.E(pay.Conflict, "refund_not_open", "It has ended.")
	case len(to.Wallet) < 20:
		return nil, pay.E(pay.Invalid, "invalid_format", "No address.")
	case q.promised.Memo && to.Memo == "":
		return nil, pay.E(pay.Invalid, "memo_required", "No memo.")
	case q.refusal != nil:
		return nil, q.refusal
	}
	p := &pay.Payout{Wallet: to.Wallet, Amount: q.promised.Refund.Amount.Sub(q.fee), Debit: q.promised.Refund.Amount, Status: pay.PayoutQueued}
	if to.Memo != "" {
		p.Memo = &to.Memo
	}
	return p, nil
}

func (q *refunds) Give(_ context.Context, _ string, to pay.Destination, shown decimal.Decimal) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	p, err := q.would(to)
	if err != nil {
		return err
	}
	if p.Amount.LessThan(shown) {
		return pay.E(pay.Invalid, "figures_changed", "Less now.")
	}
	q.promised.Payout, q.promised.Status = p, pay.RefundPending
	return nil
}

const (
	theLink   = "0197f1c5-2e60-7d3b-a41c-6f5e4d3c2b1a.AQID"
	payersOwn = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"
)

// refundingDesk is a desk with a refund of 12.5 USDT less fees of 1.
func refundingDesk(t *testing.T) (*desk, *refunds, string) {
	t.Helper()
	until := time.Now().Add(time.Hour)
	q := &refunds{fee: decimal.NewFromInt(1), promised: pay.Promised{Merchant: "Café & Sons", Order: "order-1042", Status: pay.RefundOpen, Contract: "TR7N",
		Refund: &pay.Refund{ID: uuid.Must(uuid.NewV7()), Network: "Tron", Token: "USDT", Amount: decimal.RequireFromString("12.5"), FeeFromAmount: true,
			Description: "Sorry\nfor <that>", ExpiresAt: &until}}}
	d := open(t, func(deps *checkout.Deps) { deps.Refunds = q })
	return d, q, checkout.RefundPrefix + theLink
}

// TestAPayerIsRefunded on a phone: he is shown what he gets before he confirms it, and sees it through.
func TestAPayerIsRefunded(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Refunds: The page shows what the payer gets")
	d, q, path := refundingDesk(t)
	page := browser.Open(t).Page(browser.Screen{Width: 390, Height: 844})
	page.Visit(d.url + path)
	for _, want := range []string{"12.5 USDT", "Tron (TRC-20)", "Sorry", "for <that>", "Fees will be taken from this amount.", "Where should the refund go?"} {
		if text := page.Text("main"); !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	page.Eval(`document.querySelector("#wallet").value = " ` + payersOwn + ` "`)
	page.Click("#check")
	page.Await("the figures are shown", `document.querySelector("#confirm")`)
	for _, want := range []string{"11.5 USDT", "after fees of 1 USDT", payersOwn, "Is this your address?"} {
		if text := page.Text("main"); !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	if q.promised.Payout != nil {
		t.Fatal("it was paid before it was confirmed")
	}
	page.Click("#confirm")
	page.Await("it is on its way", `document.querySelector("[data-state=pending]")`)
	if wide := page.Eval(`document.documentElement.scrollWidth > innerWidth`); wide != false {
		t.Error("the page is wider than the phone")
	}
	q.mu.Lock()
	txid := strings.Repeat("ab", 32)
	q.promised.Status, q.promised.Payout.Status, q.promised.Payout.Txid = pay.RefundCompleted, pay.PayoutCompleted, &txid
	q.mu.Unlock()
	page.Visit(d.url + path + "?lang=de")
	if text := page.Text("main"); !strings.Contains(text, "Ihre Rückerstattung wurde gesendet") || !strings.Contains(text, txid) || strings.Contains(text, "Weiter") {
		t.Errorf("at the end: %s", text)
	}
}

// TestRefundsAreGuarded: of links that are not there, by pages of others, and against what the payer may mistake.
func TestRefundsAreGuarded(t *testing.T) {
	t.Parallel()
	d, q, path := refundingDesk(t)
	send := func(path string, form url.Values, headers ...string) (int, string) {
		response, body := d.ask("POST", path, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
		return response.StatusCode, body
	}
	good := url.Values{"wallet": {payersOwn}, "shown": {"11.5"}, "confirmed": {"1"}}
	with := func(name, value string) url.Values {
		out := url.Values{"wallet": {payersOwn}, "shown": {"11.5"}, "confirmed": {"1"}}
		out.Set(name, value)
		return out
	}
	later := func(code string) func() {
		return func() { q.refusal = pay.E(pay.Invalid, code, "Refused.") }
	}
	for _, c := range []struct {
		name, path string
		form       url.Values
		headers    []string
		before     func()
		status     int
		says       string
	}{
		{name: "another link", path: path + "x", form: good, status: 404},
		{name: "another site", path: path, form: good, headers: []string{"Sec-Fetch-Site", "cross-site"}, status: 403},
		{name: "no address", path: path, form: with("wallet", "x"), status: 409, says: "cannot be used on Tron (TRC-20)"},
		{name: "no figures", path: path, form: with("shown", "all"), status: 200, says: "Is this your address?"},
		{name: "not confirmed", path: path, form: with("confirmed", ""), status: 200, says: "Is this your address?"},
		{name: "no memo", path: path, form: good, before: func() { q.promised.Memo = true }, status: 409, says: "A memo or tag is needed here"},
		{name: "no money", path: path, form: with("memo", "12345678"), before: later("insufficient_balance"), status: 409, says: "nothing was recorded"},
		{name: "other fees", path: path, form: with("memo", "12345678"), before: func() { q.refusal, q.fee = nil, decimal.NewFromInt(2) }, status: 200, says: "The fees have changed"},
	} {
		if c.before != nil {
			c.before()
		}
		status, body := send(c.path, c.form, c.headers...)
		if status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
		if q.promised.Payout != nil {
			t.Fatalf("%s: it was paid", c.name)
		}
	}
	q.promised.Memo, q.fee = false, decimal.NewFromInt(1)
	if status, _ := send(path, good); status != http.StatusSeeOther || q.promised.Payout == nil {
		t.Errorf("%d, paid %v", status, q.promised.Payout)
	}
	status, body := send(path, with("wallet", strings.Repeat("Y", 34)))
	if status != http.StatusOK || !strings.Contains(body, payersOwn) || !strings.Contains(body, "on its way") {
		t.Errorf("once more: %d %s", status, body)
	}
	for _, ended := range []pay.RefundStatus{pay.RefundExpired, pay.RefundRevoked} {
		q.promised.Status, q.promised.Payout = ended, nil
		if _, body := d.ask("GET", path, ""); !strings.Contains(body, "This link is no longer valid") || strings.Contains(body, "<form") {
			t.Errorf("%s: %s", ended, body)
		}
	}
}
