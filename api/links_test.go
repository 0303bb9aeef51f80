package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
)

// aLink is an acceptable payment link.
var aLink = map[string]string{"label": `"A cup"`, "amount": `"25"`, "currency": `"USD"`, "webhook_url": `"https://hooks.test/in"`}

func (s *shop) link(changes ...string) (int, reply) {
	s.t.Helper()
	return s.call(http.MethodPost, "/v1/payment-link", with(aLink, changes...))
}

func TestPaymentLinkFields(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payment links: POST /v1/payment-link (payin:write)", "api-v1 §Payment links: A slug that another link has",
		"api-v1 §Payment links: If an amount is given", "api-v1 §Business errors: slug_taken")
	s := newShop(t)
	for _, c := range []struct{ field, raw string }{
		{"label", ""}, {"label", `" "`}, {"label", `7`}, {"label", `"` + strings.Repeat("l", 251) + `"`}, {"amount", `"0"`}, {"amount", `-1`}, {"amount", `"1,5"`},
		{"amount", `"0.000000001"`}, {"amount", `"1` + strings.Repeat("0", 40) + `"`}, {"currency", ""}, {"webhook_url", ""}, {"webhook_url", `"not a url"`},
		{"webhook_url", `"https://127.0.0.1/x"`}, {"slug", `"A cup"`}, {"slug", `"a--b"`}, {"slug", `"ab"`}, {"slug", `7`}, {"slug", `"a/b"`},
		{"description", `"` + strings.Repeat("d", 501) + `"`}, {"offers", `[7]`}, {"return_url", `"javascript:x"`}, {"cancel_url", `"/back"`}, {"colour", `"red"`}, {"support", `"javascript:x"`},
	} {
		status, got := s.link(c.field, c.raw)
		if status != http.StatusBadRequest || got.code() != "invalid_parameters" || got.at("error.details.fields."+c.field) == nil {
			t.Errorf("%s %.60s: %d %v", c.field, c.raw, status, got)
		}
	}
	for _, c := range []struct{ field, a, b, c string }{{"amount", `"1"`, `"1"`, ""}, {"amount", `"1"`, "", `"2"`}, {"max_amount", "", `"2"`, `"1"`}} {
		status, got := s.link("amount", c.a, "min_amount", c.b, "max_amount", c.c)
		if status != http.StatusBadRequest || got.at("error.details.fields."+c.field) == nil {
			t.Errorf("%+v: %d %v", c, status, got)
		}
	}
	for changes, code := range map[[2]string]string{
		{"currency", `"DOGE?"`}: "unsupported_token_or_deposits_disabled", {"offers", `[{"crypto_currency":"USDT","network":"Nowhere"}]`}: "invalid_network_or_deposits_disabled",
		{"offers", `[{"crypto_currency":"BTC","network":"Tron"}]`}: "token_network_mismatch", {"amount", `"0.00000001"`}: "no_token_offered",
	} {
		if status, got := s.link(changes[0], changes[1]); status != http.StatusBadRequest || got.code() != code {
			t.Errorf("%v: %d %v, want %s", changes, status, got, code)
		}
	}
	if status, got := s.call(http.MethodPost, "/v1/payment-link", "[]"); status != http.StatusBadRequest || got.at("error.details.reason") != "invalid_or_empty_data" {
		t.Errorf("%d %v", status, got)
	}
	if n := s.count("select count(*) from payment_links"); n != 0 {
		t.Errorf("%d links were recorded", n)
	}
	if status, got := s.link("slug", `"tea"`); status != http.StatusOK {
		t.Fatal(got)
	}
	if status, got := s.link("slug", `"tea"`, "amount", `1`); status != http.StatusBadRequest || got.code() != "slug_taken" {
		t.Errorf("the slug again: %d %v", status, got)
	}
}

// A link of a program makes requests and payins of the API, at its rate and with its webhooks.
func TestPayersOfALinkOfAProgram(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payment links: Payins by such a link", "api-v1 §Payment links: GET /v1/payment-link/{reference} (payin:read)",
		"api-v1 §Payment links: An open link carries checkout_url")
	s := newShop(t)
	s.operations.Links.Pages = func(slug string) string { return "https://pay.test/pay/link/" + slug }
	s.exec("update merchants set receipt_rate = 7, deposit_rate = 1.5")
	status, made := s.link("slug", `"tea"`, "offers", `[{"crypto_currency":"USDT","network":"tron"}]`, "description", `"Hot"`, "return_url", `"https://shop.test/done"`,
		"cancel_url", `"https://shop.test/cart"`)
	if status != http.StatusOK {
		t.Fatal(made)
	}
	for _, reference := range []string{"tea", fmt.Sprint(made.at("payment_link.internal_reference"))} {
		s.get("/v1/payment-link/"+reference).wants(t, map[string]any{"message": "payment_link_retrieved_success", "payment_link.slug": "tea",
			"payment_link.label": "A cup", "payment_link.amount": "25", "payment_link.min_amount": nil, "payment_link.currency": "USD", "payment_link.status": "open",
			"payment_link.offers.0.network": "Tron", "payment_link.description": "Hot", "payment_link.webhook_url": "https://hooks.test/in", "payment_link.ended_at": nil,
			"payment_link.return_url": "https://shop.test/done", "payment_link.cancel_url": "https://shop.test/cart",
			"payment_link.checkout_url": "https://pay.test/pay/link/tea"})
	}
	request, payin, err := s.paysBy("tea", "25", "Tron", uuid.Nil)
	if err != nil {
		t.Fatal(err)
	}
	reference := "tea-" + request.String()
	s.get("/v1/payment-request/"+reference).wants(t, map[string]any{"payment_request.internal_reference": request.String(), "payment_request.status": "open",
		"payment_request.payins.0.internal_reference": payin.String(), "payment_request.webhook_url": "https://hooks.test/in"})
	s.get("/v1/check-payin/"+reference).wants(t, map[string]any{"deposit.percent_rate": "7", "deposit.webhook_url": "https://hooks.test/in",
		"deposit.return_url": "https://shop.test/done"})
}

// Links are listed and ended by their own merchant's keys alone; those of the panel are not the API's.
func TestPaymentLinksAreListedAndEnd(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payment links: GET /v1/payment-links (payin:read)", "api-v1 §Payment links: POST /v1/payment-link/{reference}/end",
		"api-v1 §Payment links: Links of the panel")
	s := newShop(t)
	s.operations.Links.Pages = func(slug string) string { return "https://pay.test/pay/link/" + slug }
	for _, slug := range []string{"one", "two", "three"} {
		if status, got := s.link("slug", `"`+slug+`"`, "amount", ""); status != http.StatusOK {
			t.Fatal(got)
		}
	}
	panels, err := s.linked(func(f *pay.LinkForm) { f.Slug = "panels" })
	if err != nil {
		t.Fatal(err)
	}
	_, other := s.newKey()
	for i := range 2 {
		status, got := s.call(http.MethodPost, "/v1/payment-link/two/end", "")
		if status != http.StatusOK || got.at("payment_link.status") != "ended" || got.at("payment_link.ended_at") == nil || got.at("payment_link.checkout_url") != nil {
			t.Errorf("ended %d times: %d %v", i+1, status, got)
		}
	}
	s.get("/v1/payment-links?per_page=2").wants(t, map[string]any{"message": "payment_links_retrieved_success", "meta.total": 3, "meta.total_pages": 2,
		"payment_links.0.slug": "three", "payment_links.1.slug": "two", "payment_links.2": nil, "payment_links.0.amount": nil})
	s.get("/v1/payment-links?per_page=2&page=2").wants(t, map[string]any{"payment_links.0.slug": "one", "payment_links.1": nil})
	s.get("/v1/payment-links?page=3&per_page=2").wants(t, map[string]any{"payment_links.0": nil, "meta.total": 3})
	s.get("/v1/payment-links?status=Open").wants(t, map[string]any{"meta.total": 2, "meta.filters.status": "open", "payment_links.1.slug": "one"})
	s.get("/v1/payment-links?status=ended").wants(t, map[string]any{"meta.total": 1, "payment_links.0.slug": "two"})
	if status, got := s.call(http.MethodGet, "/v1/payment-links?status=paid", ""); status != http.StatusBadRequest || got.code() != "invalid_status_filter" {
		t.Errorf("%d %v", status, got)
	}
	ask(t, s.front, request(http.MethodGet, "/v1/payment-links", other, "")).is(t, http.StatusOK, "")
	for _, c := range []struct{ key, reference string }{{s.key, "panels"}, {s.key, panels.ID.String()}, {s.key, "nobody"}, {other, "one"}} {
		for method, path := range map[string]string{http.MethodGet: "/v1/payment-link/" + c.reference, http.MethodPost: "/v1/payment-link/" + c.reference + "/end"} {
			if a := ask(t, s.front, request(method, path, c.key, "")); a.status != http.StatusNotFound || a.body.Error.Details["resource"] != "payment_link" {
				t.Errorf("%s %s: %s", method, path, a.text)
			}
		}
	}
	if n := s.count("select count(*) from payment_links where ended_at is not null"); n != 1 {
		t.Errorf("%d links have ended", n)
	}
}
