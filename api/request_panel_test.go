package api

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
)

// aForm is an acceptable form of the panel.
func (s *shop) aForm(changes ...func(*pay.RequestForm)) *pay.RequestForm {
	f := &pay.RequestForm{Form: uuid.Must(uuid.NewV7()), Merchant: s.merchant, Person: "ann@example.com", Actor: "person:ann@example.com", Label: "Invoice 7",
		Amount: "25", Currency: "USD", Lifetime: time.Hour}
	for _, change := range changes {
		change(f)
	}
	return f
}

func (s *shop) makes(f *pay.RequestForm) *pay.PaymentRequest {
	s.t.Helper()
	q, err := s.operations.Requests.Make(s.t.Context(), f)
	if err != nil {
		s.t.Fatal(err)
	}
	return q
}

// A request of the panel costs the rate of deposits, tells no webhook, and is nothing of the API's, nor are its payins.
func TestARequestOfThePanel(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Account summary: deposit_rate")
	s := newShop(t)
	s.exec("update merchants set receipt_rate = 7, user_pays_receipt_network_fee = true, deposit_rate = 1.5, user_pays_deposit_network_fee = false, api_access = false")
	f := s.aForm(func(f *pay.RequestForm) {
		f.Offers, f.Customer = []pay.Offer{{Token: "USDT", Network: "tron"}}, "anna@example.com"
		f.Items = []pay.AskedItem{{Name: "Ticket", Quantity: "2", Amount: "12.50"}, {Name: "Gift"}}
		f.Colour, f.Support = "#0f766e", "tickets@shop.example"
	})
	q := s.makes(f)
	if q.Label != "Invoice 7" || q.Email != "anna@example.com" || q.Offers[0].Network != "Tron" || q.WebhookURL != "" || !q.IsFiat {
		t.Errorf("recorded %+v", q)
	}
	if want := []pay.Item{{Name: "Ticket", Quantity: 2, Amount: "12.5"}, {Name: "Gift", Quantity: 1}}; !slices.Equal(q.Items, want) {
		t.Errorf("the items are %+v", q.Items)
	}
	offered, err := s.operations.Requests.Offered(t.Context(), q.ID)
	if err != nil || offered.Look.Colour != "0f766e" || offered.Look.Support != "tickets@shop.example" {
		t.Errorf("the payer's page looks as %+v, %v", offered, err)
	}
	id := s.mustChoose(q.ID, "USDT", "Tron")
	p, err := s.store.Payin(t.Context(), id)
	if err != nil || p.PercentRate.String() != "1.5" || p.PaysNetworkFee || p.WebhookURL != "" || p.KeyID != "panel:ann@example.com" {
		t.Errorf("the payin is %+v, %v", p, err)
	}
	s.exec("update merchants set api_access = true")
	for _, path := range []string{"/v1/payment-request/" + q.ID.String(), "/v1/payment-request/" + q.ReferenceID, "/v1/check-payin/" + id.String(), "/v1/check-payin/" + p.ReferenceID} {
		if a := s.ask(http.MethodGet, path, ""); a.status != http.StatusNotFound {
			t.Errorf("%s answers %d %s", path, a.status, a.text)
		}
	}
	if a := s.ask(http.MethodGet, "/v1/list-payin", ""); strings.Contains(a.text, id.String()) || !strings.Contains(a.text, `"total":0`) {
		t.Errorf("the list has %s", a.text)
	}
	if n := s.count("select count(*) from audit where action = 'request.create' and actor = 'person:ann@example.com'"); n != 1 {
		t.Errorf("%d rows of audit", n)
	}
	page, err := s.store.PayerPayins(t.Context(), id)
	if err != nil || len(page) != 1 || page[0].ReferenceID != "Invoice 7" {
		t.Errorf("the payer sees %+v, %v", page, err)
	}
}

// One form is one request, also when it is sent twice at once, and another merchant's form is none.
func TestOneFormIsOneRequest(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.aForm()
	const clicks = 4
	made := make(chan uuid.UUID, clicks)
	for range clicks {
		go func() {
			q, err := s.operations.Requests.Make(s.t.Context(), f)
			if err != nil {
				t.Error(err)
				q = &pay.PaymentRequest{}
			}
			made <- q.ID
		}()
	}
	for range clicks {
		if id := <-made; id != f.Form {
			t.Errorf("the form has made %s", id)
		}
	}
	if n, rows := s.count("select count(*) from payment_requests"), s.count("select count(*) from audit where action = 'request.create'"); n != 1 || rows != 1 {
		t.Errorf("%d requests and %d rows of audit", n, rows)
	}
	other := *f
	other.Merchant = uuid.New()
	if _, err := s.operations.Requests.Make(t.Context(), &other); !errors.Is(err, errOtherForm) {
		t.Errorf("another merchant's form: %v", err)
	}
}

// What POST /v1/payment-request refuses is refused in words for a person, and records nothing.
func TestRefusedFormsOfRequests(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for _, c := range []struct {
		want   string
		change func(*pay.RequestForm)
	}{
		{"The name must be", func(f *pay.RequestForm) { f.Label = "" }},
		{"The name must be", func(f *pay.RequestForm) { f.Label = strings.Repeat("é", 251) }},
		{"The name must be", func(f *pay.RequestForm) { f.Form = uuid.Nil }},
		{"amount must be", func(f *pay.RequestForm) { f.Amount = "1e3" }},
		{"amount must be", func(f *pay.RequestForm) { f.Amount = "" }},
		{"currency is required", func(f *pay.RequestForm) { f.Currency = "" }},
		{"token", func(f *pay.RequestForm) { f.Currency = "DOGE?" }},
		{"customer email must be", func(f *pay.RequestForm) { f.Customer = "anna" }},
		{"return url must be", func(f *pay.RequestForm) { f.ReturnURL = "javascript:x" }},
		{"description must be", func(f *pay.RequestForm) { f.Description = strings.Repeat("d", 501) }},
		{"expires at must be", func(f *pay.RequestForm) { f.Lifetime = 0 }},
		{"None of the tokens", func(f *pay.RequestForm) { f.Amount = "0.00000001" }},
		{"colour must be", func(f *pay.RequestForm) { f.Colour = "teal" }},
		{"support must be", func(f *pay.RequestForm) { f.Support = "http://shop.example/help" }},
		{"support must be", func(f *pay.RequestForm) { f.Support = "javascript:x" }},
		{"each must have a name", func(f *pay.RequestForm) { f.Items = []pay.AskedItem{{Quantity: "2"}} }},
		{"a quantity must be", func(f *pay.RequestForm) { f.Items = []pay.AskedItem{{Name: "Ticket", Quantity: "two"}} }},
		{"a quantity must be", func(f *pay.RequestForm) { f.Items = []pay.AskedItem{{Name: "Ticket", Quantity: "0"}} }},
		{"an amount must be", func(f *pay.RequestForm) { f.Items = []pay.AskedItem{{Name: "Ticket", Amount: "1,5"}} }},
		{"at most 50", func(f *pay.RequestForm) { f.Items = slices.Repeat([]pay.AskedItem{{Name: "Ticket"}}, 51) }},
		{"network", func(f *pay.RequestForm) { f.Offers = []pay.Offer{{Token: "USDT", Network: "Nowhere"}} }},
	} {
		_, err := s.operations.Requests.Make(t.Context(), s.aForm(c.change))
		if why, certain := Refused(err); !certain || !strings.Contains(why, c.want) {
			t.Errorf("%s: %q %v", c.want, why, err)
		}
	}
	s.exec("update merchants set suspended = true")
	if _, err := s.operations.Requests.Make(t.Context(), s.aForm()); !errors.Is(err, errWithdrawable) {
		t.Errorf("a suspended merchant asks: %v", err)
	}
	if n := s.count("select count(*) from payment_requests"); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// Ending a request is first or second: a choice that was being made finds it ended.
func TestAnEndedRequest(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	q := s.makes(s.aForm())
	before, by, err := s.operations.Requests.of(t.Context(), q.ID)
	if err != nil {
		t.Fatal(err)
	}
	if ended, err := s.store.EndPaymentRequest(t.Context(), uuid.New(), q.ID); err != nil || ended {
		t.Errorf("another merchant ends it: %v, %v", ended, err)
	}
	for i, want := range []bool{true, false} {
		if ended, err := s.store.EndPaymentRequest(t.Context(), s.merchant, q.ID); err != nil || ended != want {
			t.Errorf("ended %d times: %v, %v", i+1, ended, err)
		}
	}
	cat, err := s.operations.Requests.Payins.Catalogues.Since(t.Context(), by.Catalogue)
	if err != nil {
		t.Fatal(err)
	}
	o := pay.Offer{Token: "USDT", Network: "Tron"}
	payin, address, err := s.operations.Requests.draft(t.Context(), by, cat, before, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.operations.Requests.add(before, payin, address, o, ""); !errors.Is(err, errRequestOver) {
		t.Errorf("a choice after the end: %v", err)
	}
	if n := s.count("select count(*) from payins"); n != 0 {
		t.Errorf("%d payins", n)
	}
}
