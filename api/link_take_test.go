package api

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// linked makes a link of the panel.
func (s *shop) linked(changes ...func(*pay.LinkForm)) (*pay.PaymentLink, error) {
	f := &pay.LinkForm{RequestForm: *s.aForm(), Slug: "tea"}
	for _, change := range changes {
		change(f)
	}
	return s.links().Make(s.t.Context(), f)
}

func (s *shop) links() *Links { return &s.operations.Links }

func (s *shop) paysBy(slug, amount, network string, before uuid.UUID) (request, payin uuid.UUID, err error) {
	return s.links().Take(context.WithoutCancel(s.t.Context()), slug, decimal.RequireFromString(amount), pay.Offer{Token: "USDT", Network: network}, before)
}

// Each payer of a link has a request of their own; one who comes back before paying goes on with theirs.
//
// Covers api-v1 §Payment links: Each payer who chooses
// Covers api-v1 §Payment links: The reference_id of such a request
func TestPayersOfALink(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.exec("update merchants set receipt_rate = 7, deposit_rate = 1.5")
	link, err := s.linked(func(f *pay.LinkForm) {
		f.Offers, f.Description = []pay.Offer{{Token: "USDT", Network: "tron"}, {Token: "USDT", Network: "Ethereum"}}, "A cup"
		f.Colour, f.Support = "0F766E", "https://shop.example/tea"
	})
	if err != nil {
		t.Fatal(err)
	}
	offered, err := s.links().Offered(t.Context(), "tea", decimal.NullDecimal{})
	if err != nil || !offered.Open || len(offered.Tokens) != 2 || offered.Link.Label != "Invoice 7" || offered.Merchant == "" ||
		offered.Look.Colour != "0f766e" || offered.Look.Support != "https://shop.example/tea" {
		t.Fatalf("offered %+v, %v", offered, err)
	}
	first, payin, err := s.paysBy("tea", "25", "Tron", uuid.Nil)
	if err != nil {
		t.Fatal(err)
	}
	if q, err := s.store.PaymentRequest(t.Context(), first); err != nil || q.Colour != "0f766e" || q.Support != "https://shop.example/tea" {
		t.Errorf("the payer's request is %+v, %v", q, err)
	}
	if again, same, err := s.paysBy("tea", "25", "Tron", first); err != nil || again != first || same != payin {
		t.Errorf("the same payer: %s %s, %v", again, same, err)
	}
	if again, other, err := s.paysBy("tea", "25", "Ethereum", first); err != nil || again != first || other == payin {
		t.Errorf("the same payer on another network: %s %s, %v", again, other, err)
	}
	second, theirs, err := s.paysBy("tea", "25", "Tron", uuid.Nil)
	if err != nil || second == first || theirs == payin {
		t.Errorf("another payer: %s %s, %v", second, theirs, err)
	}
	p, err := s.store.Payin(t.Context(), theirs)
	if err != nil || p.ReferenceID != "tea-"+second.String() || p.PercentRate.String() != "1.5" || p.FiatAmount.Decimal.String() != "25" {
		t.Errorf("the payin is %+v, %v", p, err)
	}
	s.exec(`insert into transfers (id, network, txid, token, position, sender, address, memo, amount, status, payin_id) select gen_random_uuid(), network, 'tx', token, 0, 'x', wallet, '', 1, 'seen', id
		from payins where id = ?`, payin)
	if third, _, err := s.paysBy("tea", "25", "Tron", first); err != nil || third == first {
		t.Errorf("a payer who has paid buys again: %s, %v", third, err)
	}
	if stranger, _, err := s.paysBy("tea", "25", "Tron", uuid.New()); err != nil || stranger == first {
		t.Errorf("a request that is not there: %s, %v", stranger, err)
	}
	if _, _, err := s.paysBy("tea", "25", "Bitcoin", uuid.Nil); !errors.Is(err, errNotOffered) {
		t.Errorf("a network that is not offered: %v", err)
	}
	if n, of := s.count("select count(*) from payment_requests"), s.count("select count(*) from payment_requests where link_id = ?", link.ID); n != of || n < 4 {
		t.Errorf("%d requests, %d of the link", n, of)
	}
}

// Payers say the amount within the bounds, and a link with an amount takes this one alone.
func TestAmountsOfALink(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	if _, err := s.linked(func(f *pay.LinkForm) { f.Slug, f.Amount, f.Least, f.Most = "gift", "", "5", "50.5" }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.linked(func(f *pay.LinkForm) { f.Form = uuid.Must(uuid.NewV7()) }); err != nil {
		t.Fatal(err)
	}
	for amount, taken := range map[string]bool{"5": true, "50.5": true, "4.99": false, "50.51": false, "0": false, "-7": false} {
		_, _, err := s.paysBy("gift", amount, "Tron", uuid.Nil)
		if taken != (err == nil) || !taken && !errors.Is(err, errLinkSum) {
			t.Errorf("%s: %v", amount, err)
		}
		offered, err := s.links().Offered(t.Context(), "gift", decimal.NewNullDecimal(decimal.RequireFromString(amount)))
		if err != nil || taken != (len(offered.Tokens) > 0) {
			t.Errorf("%s is offered %+v, %v", amount, offered, err)
		}
	}
	if offered, err := s.links().Offered(t.Context(), "gift", decimal.NullDecimal{}); err != nil || len(offered.Tokens) > 0 || !offered.Open {
		t.Errorf("without an amount %+v, %v", offered, err)
	}
	if _, _, err := s.paysBy("tea", "1", "Tron", uuid.Nil); !errors.Is(err, errLinkSum) {
		t.Errorf("another amount: %v", err)
	}
	mine, _, err := s.paysBy("gift", "6", "Tron", uuid.Nil)
	if err != nil {
		t.Fatal(err)
	}
	if other, _, err := s.paysBy("gift", "7", "Tron", mine); err != nil || other == mine {
		t.Errorf("another amount goes on with %s, %v", other, err)
	}
	if other, _, err := s.paysBy("tea", "25", "Tron", mine); err != nil || other == mine {
		t.Errorf("another link goes on with %s, %v", other, err)
	}
}

// A link stops strangers at its bound of unpaid requests, when it is ended, and while its merchant is suspended.
//
// Covers api-v1 §Payment links: One origin may choose
// Covers api-v1 §Payment links: An ended link
func TestTheBoundsOfALink(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	link, err := s.linked()
	if err != nil {
		t.Fatal(err)
	}
	first, payin, err := s.paysBy("tea", "25", "Tron", uuid.Nil)
	if err != nil {
		t.Fatal(err)
	}
	s.exec(`insert into payment_requests (id, merchant_id, key_id, link_id, reference_id, amount, currency, is_fiat, webhook_url, expires_at)
		select gen_random_uuid(), merchant_id, key_id, link_id, 'r' || i, 25, 'USD', true, '', now() + interval '1 hour' from payment_requests, generate_series(1, ?) i`, mostUnpaid-1)
	if _, _, err := s.paysBy("tea", "25", "Tron", uuid.Nil); !errors.Is(err, errLinkBusy) {
		t.Errorf("one too many: %v", err)
	}
	if again, same, err := s.paysBy("tea", "25", "Tron", first); err != nil || again != first || same != payin {
		t.Errorf("the first payer then: %s, %v", again, err)
	}
	s.exec(`insert into transfers (id, network, txid, token, position, sender, address, memo, amount, status, payin_id) select gen_random_uuid(), network, 'tx', token, 0, 'x', wallet, '', 1, 'seen', id
		from payins where id = ?`, payin)
	if _, _, err := s.paysBy("tea", "25", "Tron", uuid.Nil); err != nil {
		t.Errorf("after a payment: %v", err)
	}
	s.exec("update payment_requests set created_at = now() - interval '61 minutes'")
	if _, _, err := s.paysBy("tea", "25", "Tron", uuid.Nil); err != nil {
		t.Errorf("an hour later: %v", err)
	}
	s.exec("update merchants set suspended = true")
	if _, _, err := s.paysBy("tea", "25", "Tron", uuid.Nil); !errors.Is(err, errLinkOver) {
		t.Errorf("a suspended merchant: %v", err)
	}
	s.exec("update merchants set suspended = false")
	for i, want := range []bool{true, false} {
		if ended, err := s.store.EndPaymentLink(t.Context(), s.merchant, link.ID); err != nil || ended != want {
			t.Errorf("ended %d times: %v, %v", i+1, ended, err)
		}
	}
	if _, err := s.links().begin(link, link.Amount.Decimal); !errors.Is(err, errLinkOver) {
		t.Errorf("a payer who was choosing at the end: %v", err)
	}
	if offered, err := s.links().Offered(t.Context(), "tea", decimal.NullDecimal{}); err != nil || offered.Open {
		t.Errorf("ended, and offered %+v, %v", offered, err)
	}
}

// One form is one link; a slug is one link's, whoever is first; wrong fields are refused in words.
func TestFormsOfLinks(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	form := uuid.Must(uuid.NewV7())
	for range 2 {
		if l, err := s.linked(func(f *pay.LinkForm) { f.Form = form }); err != nil || l.ID != form {
			t.Errorf("%+v, %v", l, err)
		}
	}
	if _, err := s.linked(); !errors.Is(err, errSlugTaken) {
		t.Errorf("the slug again: %v", err)
	}
	if _, err := s.linked(func(f *pay.LinkForm) { f.Form, f.Merchant = form, uuid.New() }); !errors.Is(err, errOtherForm) {
		t.Errorf("another merchant's form: %v", err)
	}
	if l, err := s.linked(func(f *pay.LinkForm) { f.Slug = "" }); err != nil || len(l.Slug) != 16 || !slugForm.MatchString(l.Slug) {
		t.Errorf("a random slug: %+v, %v", l, err)
	}
	for _, c := range []struct {
		want   string
		change func(*pay.LinkForm)
	}{
		{"slug must be", func(f *pay.LinkForm) { f.Slug = "Tea" }}, {"slug must be", func(f *pay.LinkForm) { f.Slug = "a/b" }},
		{"slug must be", func(f *pay.LinkForm) { f.Slug = "-tea" }}, {"slug must be", func(f *pay.LinkForm) { f.Slug = "te" }},
		{"slug must be", func(f *pay.LinkForm) { f.Slug = strings.Repeat("t", 61) }}, {"label", func(f *pay.LinkForm) { f.Label = "" }},
		{"amount excludes", func(f *pay.LinkForm) { f.Least = "1" }}, {"max amount must not", func(f *pay.LinkForm) { f.Amount, f.Least, f.Most = "", "2", "1" }},
		{"amount must be", func(f *pay.LinkForm) { f.Amount = "x" }}, {"amount is too small", func(f *pay.LinkForm) { f.Amount = "0.0000000001" }},
		{"return url must be", func(f *pay.LinkForm) { f.ReturnURL = "javascript:x" }}, {"None of the tokens", func(f *pay.LinkForm) { f.Amount = "0.00000001" }},
		{"colour must be", func(f *pay.LinkForm) { f.Colour = "teal" }}, {"support must be", func(f *pay.LinkForm) { f.Support = "http://shop.example" }},
		{"currency", func(f *pay.LinkForm) { f.Currency = "" }}, {"token", func(f *pay.LinkForm) { f.Currency = "DOGE?" }},
	} {
		_, err := s.linked(func(f *pay.LinkForm) { f.Slug = "other" }, c.change)
		if why, certain := Refused(err); !certain || !strings.Contains(why, c.want) {
			t.Errorf("%s: %q %v", c.want, why, err)
		}
	}
	if n, rows := s.count("select count(*) from payment_links"), s.count("select count(*) from audit where action = 'link.create'"); n != 2 || rows != 2 {
		t.Errorf("%d links, %d rows of audit", n, rows)
	}
}
