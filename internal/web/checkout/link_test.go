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

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/internal/web/checkout"
)

// links is a fake of the payment links: it knows one, in euros, and refuses what the real ones refuse, an amount or a token that is not taken.
type links struct {
	offered *pay.OfferedLink
	payin   uuid.UUID
	before  []uuid.UUID // of each request that was made
	made    []uuid.UUID
}

func (l *links) Offered(_ context.Context, slug string, amount decimal.NullDecimal) (*pay.OfferedLink, error) {
	if slug != l.offered.Link.Slug {
		return nil, pay.ErrNotFound
	}
	out := *l.offered
	if !amount.Valid {
		amount = out.Link.Amount
	}
	if !amount.Valid || !out.Open || !out.Link.Takes(amount.Decimal) {
		out.Tokens = nil
	}
	return &out, nil
}

func (l *links) Take(_ context.Context, slug string, amount decimal.Decimal, o pay.Offer, before uuid.UUID) (request, payin uuid.UUID, err error) {
	if slug != l.offered.Link.Slug || !l.offered.Open || !l.offered.Link.Takes(amount) || o != l.offered.Tokens[0].Offer {
		return uuid.Nil, uuid.Nil, pay.E(pay.Invalid, "payment_link_amount", "Not taken.")
	}
	l.before, l.made = append(l.before, before), append(l.made, uuid.New())
	return l.made[len(l.made)-1], l.payin, nil
}

// tea is a desk with a payment link whose payers say the amount: 5 to 50 EUR, in USDT on Tron.
func tea(t *testing.T, change ...func(*checkout.Deps)) (*desk, *links) {
	t.Helper()
	five, fifty := decimal.NewNullDecimal(decimal.NewFromInt(5)), decimal.NewNullDecimal(decimal.NewFromInt(50))
	l := &links{offered: &pay.OfferedLink{Merchant: "Café & Sons", Open: true,
		Link:   &pay.PaymentLink{Slug: "tea", Label: "Tea <fund>", Description: "For the garden", Currency: "EUR", IsFiat: true, Least: five, Most: fifty, CancelURL: "https://shop.example/"},
		Tokens: []pay.OfferedToken{{Offer: pay.Offer{Token: "USDT", Network: "Tron"}, Contract: "TR7N", Amount: decimal.RequireFromString("27.1")}}}}
	d := open(t, append([]func(*checkout.Deps){func(deps *checkout.Deps) { deps.Links = l }}, change...)...)
	l.payin = d.payin(order{})
	return d, l
}

func (d *desk) form(path string, values url.Values, headers ...string) (*http.Response, string) {
	d.t.Helper()
	return d.ask("POST", path, values.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

// A payer says an amount, chooses, and is led to a payin. A browser that comes back is known by its cookie.
func TestAPayerOfALink(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payment links: Where the link has no amount", "api-v1 §Payment links: The page is {base_url}/pay/link/{slug}")
	d, l := tea(t)
	path := checkout.LinkPrefix + "tea"
	_, page := d.ask("GET", path, "")
	for _, want := range []string{"Café &amp; Sons", "Tea &lt;fund&gt;", "For the garden", "How much would you like to pay?", "At least 5.00 EUR", "At most 50.00 EUR", "https://shop.example/"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in %s", want, page)
		}
	}
	if strings.Contains(page, `name="offer"`) {
		t.Error("something is offered without an amount")
	}
	for said, taken := range map[string]string{"12.5": "12.50 EUR", "12,50": "12.50 EUR", " 7 ": "7.00 EUR", "4.99": "", "50.01": "", "1,000": "", "1e1": "", "-7": "", "x": "", "0": ""} {
		_, page := d.ask("GET", path+"?amount="+url.QueryEscape(said), "")
		if taken != "" && (!strings.Contains(page, taken) || !strings.Contains(page, `value="USDT Tron"`)) || taken == "" && (!strings.Contains(page, `id="wrong"`) || strings.Contains(page, `name="offer"`)) {
			t.Errorf("%q shows %s", said, page)
		}
	}
	response, _ := d.form(path+"?lang=de", url.Values{"amount": {"12.5"}, "offer": {"USDT Tron"}})
	if to := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || to != "../"+l.payin.String()+"?lang=de" {
		t.Fatalf("the choice is answered %d %q", response.StatusCode, to)
	}
	cookie := response.Header.Get("Set-Cookie")
	if !strings.Contains(cookie, l.made[0].String()) || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") {
		t.Errorf("the cookie is %q", cookie)
	}
	kept, _, _ := strings.Cut(cookie, ";")
	d.form(path, url.Values{"amount": {"12.5"}, "offer": {"USDT Tron"}}, "Cookie", kept)
	d.form(path, url.Values{"amount": {"12.5"}, "offer": {"USDT Tron"}}, "Cookie", "causeway-link=x")
	if len(l.before) != 3 || l.before[0] != uuid.Nil || l.before[1] != l.made[0] || l.before[2] != uuid.Nil {
		t.Errorf("the requests before were %v", l.before)
	}
}

// A link refuses what it does not offer, forms of other sites, and a stranger who chooses too often; an ended one says so.
func TestLinksAreGuarded(t *testing.T) {
	t.Parallel()
	takers := &visitors{}
	d, l := tea(t, func(deps *checkout.Deps) { deps.Takers = takers })
	path, good := checkout.LinkPrefix+"tea", url.Values{"amount": {"12.5"}, "offer": {"USDT Tron"}}
	status := func(path string, values url.Values, headers ...string) int {
		response, _ := d.form(path, values, headers...)
		return response.StatusCode
	}
	for name, c := range map[string]struct{ got, want int }{
		"another link":  {status(checkout.LinkPrefix+"coffee", good), http.StatusNotFound},
		"another token": {status(path, url.Values{"amount": {"12.5"}, "offer": {"BTC Bitcoin"}}), http.StatusBadRequest},
		"no amount":     {status(path, url.Values{"offer": {"USDT Tron"}}), http.StatusBadRequest},
		"too large":     {status(path, url.Values{"amount": {"51"}, "offer": {"USDT Tron"}}), http.StatusBadRequest},
		"another site":  {status(path, good, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		"what Take refuses": {func() int {
			l.offered.Tokens[0].Network = "Ton"
			defer func() { l.offered.Tokens[0].Network = "Tron" }()
			return status(path, good)
		}(), http.StatusBadRequest},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
	takers.wait = time.Minute
	if got := status(path, good); got != http.StatusTooManyRequests {
		t.Errorf("too often: %d", got)
	}
	if response, _ := d.ask("GET", path, ""); response.StatusCode != http.StatusOK {
		t.Errorf("looking then: %d", response.StatusCode)
	}
	takers.wait, l.offered.Open = 0, false
	if _, page := d.ask("GET", path, ""); !strings.Contains(page, "Nothing can be paid here right now") || strings.Contains(page, "<button") {
		t.Errorf("an ended link shows %s", page)
	}
	if got := status(path, good); got != http.StatusBadRequest || len(l.made) > 0 {
		t.Errorf("an ended link answers %d, and made %v", got, l.made)
	}
}
