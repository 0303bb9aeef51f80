package checkout_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/dev/browser"
	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/internal/web/checkout"
)

// requests is a fake of the payment requests: it knows one, and refuses what the real ones refuse, a token that is not offered.
type requests struct {
	offered *pay.Offered
	payin   func() uuid.UUID
	refuses bool
	lang    string // of the last choice
}

func (q *requests) Offered(_ context.Context, id uuid.UUID) (*pay.Offered, error) {
	if id != q.offered.Request.ID {
		return nil, pay.ErrNotFound
	}
	out := *q.offered
	return &out, nil
}

func (q *requests) Choose(_ context.Context, id uuid.UUID, o pay.Offer, lang string) (uuid.UUID, error) {
	q.lang = lang
	for _, t := range q.offered.Tokens {
		if id == q.offered.Request.ID && t.Offer == o && !q.refuses {
			return q.payin(), nil
		}
	}
	return uuid.Nil, pay.E(pay.Invalid, "token_not_offered", "Not offered.")
}

// choosing is a desk with a payment request of 25 EUR, in two tokens on three networks.
func choosing(t *testing.T) (*desk, *requests, string) {
	t.Helper()
	q := &requests{offered: &pay.Offered{Merchant: "Café & Sons", Status: pay.RequestOpen,
		Request: &pay.PaymentRequest{ID: uuid.Must(uuid.NewV7()), ReferenceID: "order-1042", Amount: decimal.NewFromInt(25), Currency: "EUR", IsFiat: true,
			Items: []pay.Item{{Name: "Ticket <1>", Quantity: 2, Amount: "12.5"}, {Name: "Programme", Quantity: 1}}, Email: "anna@example.com",
			Description: "Two tickets\nfor <Friday>", CancelURL: "https://shop.example/cart", ExpiresAt: time.Now().Add(time.Hour)},
		Tokens: []pay.OfferedToken{{Offer: pay.Offer{Token: "BTC", Network: "Bitcoin"}, Amount: decimal.RequireFromString("0.00041")},
			{Offer: pay.Offer{Token: "USDT", Network: "Ethereum"}, Contract: "0xdac1", Amount: decimal.RequireFromString("27.1")},
			{Offer: pay.Offer{Token: "USDT", Network: "Tron"}, Contract: "TR7N", Amount: decimal.RequireFromString("27.1")}}}}
	d := open(t, func(deps *checkout.Deps) { deps.Requests = q })
	q.payin = func() uuid.UUID { return d.payin(order{}) }
	return d, q, checkout.RequestPrefix + q.offered.Request.ID.String()
}

// TestAPayerChooses on a phone and at a desk: a click leads to the page of a payin, and that page leads back while nothing was paid.
func TestAPayerChooses(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payment requests: The page leads back by cancel_url")
	b := browser.Open(t)
	for name, screen := range map[string]browser.Screen{"phone": {Width: 390, Height: 844}, "desk": {Width: 1280, Height: 900}} {
		d, q, path := choosing(t)
		var payin uuid.UUID
		q.payin = func() uuid.UUID {
			payin = d.payin(order{})
			d.exec(`insert into payment_requests (id, merchant_id, key_id, reference_id, amount, currency, is_fiat, webhook_url, expires_at)
				values (?, ?, 'k', 'order-1042', 25, 'EUR', true, '', now() + interval '1 hour')`, q.offered.Request.ID, d.merchant)
			d.exec("insert into payment_choices values (?, ?)", q.offered.Request.ID, payin)
			return payin
		}
		page := b.Page(screen)
		page.Visit(d.url + path)
		text := page.Text("main")
		for _, want := range []string{"25.00 EUR", "Two tickets", "for <Friday>", "What would you like to pay with?", "Tron (TRC-20)", "27.1 USDT", "0.00041 BTC", "Back to Café & Sons", "Ticket <1>", "× 2 · 12.50 EUR", "Programme"} {
			if !strings.Contains(text, want) {
				t.Errorf("on a %s %q is missing in %s", name, want, text)
			}
		}
		if strings.Contains(page.Eval("document.documentElement.outerHTML").(string), "anna@") {
			t.Errorf("on a %s the page tells the customer's address", name)
		}
		page.Click(`button[value="USDT Tron"]`)
		page.Await("the payin is shown", `document.querySelector("#other")`)
		if at := page.Eval("location.pathname"); at != checkout.Prefix+payin.String() {
			t.Errorf("the choice leads to %v, want %s", at, payin)
		}
		page.Click("#other")
		page.Await("the way back", `location.pathname === "`+path+`"`)
	}
}

// TestChoicesAreGuarded: of requests that are not there, of tokens that are not offered, and by pages of others.
func TestChoicesAreGuarded(t *testing.T) {
	t.Parallel()
	d, q, path := choosing(t)
	form := func(offer string) string { return url.Values{"offer": {offer}}.Encode() }
	send := func(path, offer string, headers ...string) int {
		response, _ := d.ask("POST", path, form(offer), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
		return response.StatusCode
	}
	for name, c := range map[string]struct{ got, want int }{
		"another request": {send(checkout.RequestPrefix+uuid.NewString(), "USDT Tron"), http.StatusNotFound},
		"no request":      {send(checkout.RequestPrefix+"x", "USDT Tron"), http.StatusNotFound},
		"another token":   {send(path, "USDC Tron"), http.StatusBadRequest},
		"another site":    {send(path, "USDT Tron", "Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
	if status := send(path+"?lang=ar", "USDT Tron"); status != http.StatusSeeOther || q.lang != "ar" {
		t.Errorf("a choice is answered %d in %q", status, q.lang)
	}
	q.refuses = true
	response, body := d.ask("POST", path, form("USDT Tron"), "Content-Type", "application/x-www-form-urlencoded")
	if response.StatusCode != http.StatusConflict || !strings.Contains(body, "This choice cannot be made right now") {
		t.Errorf("a refusal: %d %s", response.StatusCode, body)
	}
}

// TestARequestThatIsOver: one with money leads to its payin; one whose time is over, or that can be paid with nothing, says so.
func TestARequestThatIsOver(t *testing.T) {
	t.Parallel()
	d, q, path := choosing(t)
	q.offered.Tokens = nil
	if _, body := d.ask("GET", path, ""); !strings.Contains(body, "Nothing can be paid here right now") {
		t.Errorf("says %s", body)
	}
	q.offered.Status = pay.RequestExpired
	if _, body := d.ask("GET", path, ""); !strings.Contains(body, "This payment has expired") || strings.Contains(body, "<button") {
		t.Errorf("says %s", body)
	}
	q.offered.Paying = d.payin(order{})
	for _, method := range []string{"GET", "POST"} {
		response, _ := d.ask(method, path+"?lang=de", "")
		if at := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || at != "../"+q.offered.Paying.String()+"?lang=de" {
			t.Errorf("%s: %d to %q", method, response.StatusCode, at)
		}
	}
}
