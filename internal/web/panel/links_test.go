package panel_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
)

// fakeLinks is a fake of the API's links (api.Links): its rows are real. It refuses an amount that is none, and a slug that is taken.
type fakeLinks struct{ *store.Store }

func (f fakeLinks) Make(ctx context.Context, n *pay.LinkForm) (*pay.PaymentLink, error) {
	l := &pay.PaymentLink{ID: n.Form, MerchantID: n.Merchant, KeyID: pay.PanelKey(n.Person), Slug: n.Slug, Label: n.Label, Description: n.Description, Offers: n.Offers,
		Currency: n.Currency, IsFiat: true, ReturnURL: n.ReturnURL, CancelURL: n.CancelURL,
		Colour: strings.TrimPrefix(n.Colour, "#"), Support: n.Support}
	for text, into := range map[string]*decimal.NullDecimal{n.Amount: &l.Amount, n.Least: &l.Least, n.Most: &l.Most} {
		amount, err := decimal.NewFromString(text)
		if text != "" && err != nil {
			return nil, people.Refusal("amount must be a plain decimal")
		}
		*into = decimal.NullDecimal{Decimal: amount, Valid: text != ""}
	}
	if added, err := f.AddPaymentLink(ctx, l); err != nil || added {
		return l, err
	}
	if was, err := f.PaymentLink(ctx, n.Form); err == nil {
		return was, nil
	}
	return nil, people.Refusal("another link has this slug")
}

// A link is made once by its form, its page has the address with its code to keep, and it ends for good.
func TestAPaymentLinkOfThePanel(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann, eve, bob := f.member(f.shop, "ann@example.com", people.Finance), f.member(f.shop, "eve@example.com", people.Viewer), f.member(f.other, "bob@example.com", people.Owner)
	_, page := ann.get("links/new")
	form := []string{"form", hidden(page, "form"), "label", "Tea", "amount", "", "currency", "EUR", "least", "5", "most", "50", "slug", "tea",
		"colour", "#0f766e", "support", "tea@shop.example"}
	for range 2 {
		if code, to := ann.post("links", form...); code != http.StatusSeeOther || to != "/panel/links/"+form[1] {
			t.Fatalf("the form is answered %d %s", code, to)
		}
	}
	for want, fields := range map[string][]string{
		"form has expired": {"label", "Tea"},
		"plain decimal":    {"form", uuid.NewString(), "label", "Tea", "amount", "x", "currency", "EUR", "slug", "x"},
		"has this slug":    {"form", uuid.NewString(), "label", "Tea", "currency", "EUR", "slug", "tea"},
		`name="support" value="help@shop.example"`: {"form", uuid.NewString(), "currency", "EUR", "amount", "x", "slug", "x", "support", "help@shop.example"},
	} {
		if _, page := ann.do("links", fields...); !strings.Contains(page, want) {
			t.Errorf("%s: %s", want, page)
		}
	}
	if rows := ann.table("links?format=csv"); len(rows) != 1 || rows[0][1] != "tea" || rows[0][4] != "5" || rows[0][7] != "ann@example.com" {
		t.Errorf("the links are %q", rows)
	}
	path := "links/" + form[1]
	_, page = eve.get(path)
	for _, want := range []string{"https://pay.example/pay/link/tea", "QR code", "5 to 50 EUR", "works", "#0f766e", "tea@shop.example"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in %s", want, page)
		}
	}
	if strings.Contains(page, "/end") {
		t.Error("a viewer is offered to end it")
	}
	if code, _, picture := eve.ask(http.MethodGet, path+"/code.svg", nil); code != http.StatusOK || !strings.HasPrefix(picture, "<svg xmlns=") {
		t.Errorf("the code is answered %d %s", code, picture)
	}
	for _, at := range []string{path, path + "/code.svg"} {
		if code, _ := bob.get(at); code != http.StatusNotFound {
			t.Errorf("another merchant sees %s: %d", at, code)
		}
	}
	if code, to, _ := f.stranger("x").ask(http.MethodGet, path+"/code.svg", nil); code != http.StatusSeeOther || !strings.HasPrefix(to, "/panel/login") {
		t.Errorf("the code is shown to nobody: %d %s", code, to)
	}
	if code, _ := bob.do(path + "/end"); code != http.StatusNotFound {
		t.Errorf("another merchant ends it: %d", code)
	}
	if _, page := ann.do(path + "/end"); !strings.Contains(page, "was ended") {
		t.Errorf("the end is answered %s", page)
	}
	if _, page := ann.do(path + "/end"); !strings.Contains(page, "ended already") {
		t.Errorf("the second end is answered %s", page)
	}
}
