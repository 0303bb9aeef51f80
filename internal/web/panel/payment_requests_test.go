package panel_test

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
)

// fakeRequests is a fake of the API's requests (api.Requests): its rows are real. It refuses an amount that is none, and a currency that it
// does not have.
type fakeRequests struct{ *store.Store }

func (f fakeRequests) Currencies(context.Context) ([]string, []pay.Offer, error) {
	return []string{"EUR", "USD"}, []pay.Offer{{Token: "USDT", Network: "Tron"}, {Token: "USDT", Network: "Ethereum"}}, nil
}

func (f fakeRequests) Make(ctx context.Context, n *pay.RequestForm) (*pay.PaymentRequest, error) {
	amount, err := decimal.NewFromString(n.Amount)
	if err != nil || !strings.Contains("EUR USD USDT", n.Currency) {
		return nil, people.Refusal("amount must be a plain decimal")
	}
	q := &pay.PaymentRequest{ID: n.Form, MerchantID: n.Merchant, KeyID: pay.PanelKey(n.Person), ReferenceID: pay.PanelReference(n.Form, 0), Label: n.Label, Amount: amount,
		Currency: n.Currency, IsFiat: n.Currency != "USDT", Description: n.Description, Email: n.Customer, Items: itemsOf(n.Items), Offers: n.Offers,
		ReturnURL: n.ReturnURL, CancelURL: n.CancelURL, Colour: strings.TrimPrefix(n.Colour, "#"), Support: n.Support, ExpiresAt: time.Now().Add(n.Lifetime)}
	if added, err := f.AddPaymentRequest(ctx, q); err != nil || !added {
		return f.PaymentRequest(ctx, n.Form)
	}
	return q, nil
}

// itemsOf takes items as the API does, without its checks.
func itemsOf(typed []pay.AskedItem) []pay.Item {
	out := []pay.Item{}
	for _, t := range typed {
		n, err := strconv.ParseInt(t.Quantity, 10, 64)
		if err != nil {
			n = 1
		}
		out = append(out, pay.Item{Name: t.Name, Quantity: n, Amount: t.Amount})
	}
	return out
}

// aRequest is a form of a payment request, as the page has it.
func (p *person) aRequest() []string {
	p.Helper()
	_, page := p.get("payment-requests/new")
	form := hidden(page, "form")
	if room := strings.Count(page, "USDT on Tron"); form == "" || room != 1 {
		p.Fatalf("the page of a new request is %s", page)
	}
	return []string{"form", form, "label", "Invoice <7>", "amount", "25.50", "currency", "EUR", "offers", "USDT|Tron", "customer", "anna@example.com", "lasts", "1d",
		"colour", "#0f766e", "support", "tea@shop.example"}
}

// A request is made once by its form, and its page has the link, a code and the payins, for its merchant alone.
func TestAPaymentRequestOfThePanel(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann, eve, bob := f.member(f.shop, "ann@example.com", people.Finance), f.member(f.shop, "eve@example.com", people.Viewer), f.member(f.other, "bob@example.com", people.Owner)
	form := ann.aRequest()
	for range 2 {
		code, to := ann.post("payment-requests", form...)
		if code != http.StatusSeeOther || to != "/panel/payment-requests/"+form[1] {
			t.Fatalf("the form is answered %d %s", code, to)
		}
	}
	rows := ann.table("payment-requests?format=csv")
	if len(rows) != 1 || rows[0][3] != "Invoice <7>" || rows[0][6] != "open" || rows[0][7] != "ann@example.com" || rows[0][8] != "anna@example.com" {
		t.Errorf("the requests are %q", rows)
	}
	path := "payment-requests/" + form[1]
	_, page := eve.get(path)
	for _, want := range []string{"https://pay.example/pay/request/" + form[1], "QR code", "Invoice &lt;7&gt;", "USDT on Tron", "anna@example.com", "Nothing was chosen yet", "#0f766e", "tea@shop.example"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in %s", want, page)
		}
	}
	if strings.Contains(page, "/end") {
		t.Error("a viewer is offered to end it")
	}
	if _, page := eve.get("payment-requests/new"); strings.Contains(page, "<form method=\"post\" action=\"/panel/payment-requests\"") {
		t.Error("a viewer is offered to make one")
	}
	if code, _ := bob.get(path); code != http.StatusNotFound {
		t.Errorf("another merchant sees it: %d", code)
	}
	if code, _ := bob.do(path + "/end"); code != http.StatusNotFound {
		t.Errorf("another merchant ends it: %d", code)
	}
	if _, page := ann.do(path + "/end"); !strings.Contains(page, "was ended") {
		t.Errorf("the end is answered %s", page)
	}
	if _, page := ann.do(path + "/end"); !strings.Contains(page, "over already") {
		t.Errorf("the second end is answered %s", page)
	}
	if _, page := ann.get(path); strings.Contains(page, "QR code") || !strings.Contains(page, "expired") {
		t.Errorf("the ended request shows %s", page)
	}
	if rows := bob.table("payment-requests?format=csv"); len(rows) > 0 {
		t.Errorf("another merchant has %q", rows)
	}
}

// A form without its id or its time is refused, and so is what the API refuses.
func TestRefusedRequestsOfThePanel(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	for want, fields := range map[string][]string{
		"form has expired": {"label", "x", "amount", "1", "currency", "EUR", "lasts", "1d"},
		"begin again":      {"form", uuid.NewString(), "label", "x", "amount", "1", "currency", "EUR", "lasts", "9y"},
		"plain decimal":    {"form", uuid.NewString(), "label", "x", "amount", "1,5", "currency", "EUR", "lasts", "1d"},
	} {
		if _, page := ann.do("payment-requests", fields...); !strings.Contains(page, want) {
			t.Errorf("%s: %s", want, page)
		}
	}
	if rows := ann.table("payment-requests?format=csv"); len(rows) > 0 {
		t.Errorf("recorded %q", rows)
	}
}

// Items are typed in rows. More rows and a refusal keep everything typed, and record nothing. Empty rows are left out.
func TestItemsOfARequest(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Finance)
	form := append(ann.aRequest(), "item_name", "Ticket & seat", "item_quantity", "2", "item_amount", "12.50", "item_name", "", "item_quantity", "", "item_amount", "",
		"item_name", "Gift", "item_quantity", "", "item_amount", "")
	rows := regexp.MustCompile(`<fieldset class="row">`)
	if _, page := ann.get("payment-requests/new"); len(rows.FindAllString(page, -1)) != 3 {
		t.Errorf("the new form has %s", page)
	}
	kept := []string{form[1], `value="Invoice &lt;7&gt;"`, `value="25.50"`, `value="EUR" selected`, `value="USDT|Tron" checked`, `value="1d" selected`,
		`value="anna@example.com"`, `value="Ticket &amp; seat"`, `value="12.50"`, `value="Gift"`}
	code, more := ann.post("payment-requests", append(form, "do", "more-rows")...)
	if n := len(rows.FindAllString(more, -1)); code != http.StatusOK || n != 6 {
		t.Errorf("more rows are answered %d with %d rows", code, n)
	}
	refused := append([]string{}, form...)
	refused[5] = "25,50"
	_, page := ann.post("payment-requests", refused...)
	if !strings.Contains(page, "plain decimal") || !strings.Contains(page, `value="25,50"`) {
		t.Errorf("the refusal is %s", page)
	}
	for _, want := range kept {
		if !strings.Contains(more, want) {
			t.Errorf("more rows lose %s", want)
		}
		if want != `value="25.50"` && !strings.Contains(page, want) {
			t.Errorf("the refusal loses %s", want)
		}
	}
	if rows := ann.table("payment-requests?format=csv"); len(rows) > 0 {
		t.Errorf("recorded %q", rows)
	}
	if code, to := ann.post("payment-requests", form...); code != http.StatusSeeOther || !strings.HasSuffix(to, form[1]) {
		t.Fatalf("the form is answered %d %s", code, to)
	}
	q, err := f.panelStore.PaymentRequest(t.Context(), uuid.MustParse(form[1]))
	f.must(err)
	if want := []pay.Item{{Name: "Ticket & seat", Quantity: 2, Amount: "12.50"}, {Name: "Gift", Quantity: 1}}; !slices.Equal(q.Items, want) {
		t.Errorf("the items are %+v", q.Items)
	}
	full := append(ann.aRequest(), "do", "more-rows")
	for range 49 {
		full = append(full, "item_name", "x")
	}
	if _, page := ann.post("payment-requests", full...); len(rows.FindAllString(page, -1)) != 50 {
		t.Errorf("a full form has %d rows", len(rows.FindAllString(page, -1)))
	}
}
