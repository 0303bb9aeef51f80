package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/proof/contract"
)

// listed is a shop with payouts of known dates and statuses, oldest first: l-0 … l-7.
func listed(t *testing.T) *shop {
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	s.fund(s.merchant, "ETH", "10")
	for i, status := range []string{"queued", "signed", "sent", "completed", "completed", "failed", "refunded", "queued"} {
		body := item(fmt.Sprintf("l-%d", i))
		if i == 7 {
			body = item("l-7", "crypto_currency", `"ETH"`, "crypto_amount", `"1"`, "network", `"arb"`, "feetakenfromamount", `1`)
		}
		if a := s.payOut(body); a.status != 200 {
			t.Fatal(a.text)
		}
		// From 2026-03-01 02:59:59 UTC, still February in UTC-03:00, hour by hour; the last two at once.
		s.exec(`update payouts set status = ?, created_at = timestamptz '2026-03-01 02:59:59+00' + least(?, 6) * interval '1 hour' where reference_id = ?`,
			status, i, fmt.Sprintf("l-%d", i))
	}
	return s
}

func references(r reply) string {
	var out []string
	for i := range r.list("payments") {
		out = append(out, r.at(fmt.Sprintf("payments.%d.reference_id", i)).(string))
	}
	return strings.Join(out, " ")
}

func TestListPayouts(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: invalid_page_number", "api-v1 §Request-level errors: invalid_per_page_limit",
		"api-v1 §Request-level errors: invalid_status_filter", "api-v1 §Request-level errors: invalid_network_filter",
		"api-v1 §Request-level errors: invalid_date_from", "api-v1 §Request-level errors: invalid_date_to", "api-v1 §GET /v1/list-payout: page",
		"api-v1 §GET /v1/list-payout: per_page", "api-v1 §GET /v1/list-payout: status", "api-v1 §GET /v1/list-payout: crypto_currency",
		"api-v1 §GET /v1/list-payout: network", "api-v1 §GET /v1/list-payout: date_from", "api-v1 §GET /v1/list-payout: date_to",
		"api-v1 §GET /v1/list-payout: reference_id", "api-v1 §GET /v1/list-payout: API payouts", "addendum §10: list-payout takes any range",
		"api-v1 §GET /v1/list-payout: All parameters are optional")
	s := listed(t)
	for query, want := range map[string]string{
		"":                             "l-7 l-6 l-5 l-4 l-3 l-2 l-1 l-0",
		"?per_page=3":                  "l-7 l-6 l-5",
		"?per_page=3&page=3":           "l-1 l-0",
		"?per_page=3&page=4":           "",
		"?page=9223372036854775808":    "",
		"?page=0&per_page=abc":         "l-7 l-6 l-5 l-4 l-3 l-2 l-1 l-0",
		"?status=PENDING":              "l-7 l-2 l-1 l-0",
		"?status=completed":            "l-4 l-3",
		"?status=failed":               "l-5",
		"?crypto_currency=ETH":         "l-7",
		"?crypto_currency=eth":         "",
		"?network=Arbitrum":            "l-7",
		"?reference_id=l-3":            "l-3",
		"?reference_id=%27+or+1%3D1--": "",
		"?date_to=2026-02-28":          "l-0",
		"?date_from=2026-03-01":        "l-7 l-6 l-5 l-4 l-3 l-2 l-1",
		"?date_from=2026-03-01&date_to=2026-03-01&status=pending": "l-7 l-2 l-1",
	} {
		a := s.ask("GET", "/v1/list-payout"+query, "")
		if got := references(decodeReply(t, a.text)); a.status != 200 || got != want {
			t.Errorf("%s: %d %q, want %q", query, a.status, got, want)
		}
	}
	for query, code := range map[string]string{
		"?page=-1": "invalid_page_number", "?per_page=101": "invalid_per_page_limit", "?per_page=-5": "invalid_per_page_limit",
		"?status=refunded": "invalid_status_filter", "?status=sent": "invalid_status_filter", "?network=arb": "invalid_network_filter",
		"?network=ethereum": "invalid_network_filter", "?date_from=2026-02-30": "invalid_date_from", "?date_to=yesterday": "invalid_date_to",
		"?date_from=2026-03-02&date_to=2026-03-01": "invalid_date_to",
	} {
		s.ask("GET", "/v1/list-payout"+query, "").is(t, http.StatusBadRequest, code)
	}
}

// New payouts come in on the first page; pages of past days do not notice.
//
// Covers addendum §10: list-payout takes any range
func TestPagesOfDaysThatAreOverHoldStill(t *testing.T) {
	t.Parallel()
	s := listed(t)
	page := func(query string) string {
		return references(decodeReply(t, s.ask("GET", "/v1/list-payout?per_page=3&page=2"+query, "").text))
	}
	over, all := page("&date_to=2026-03-01"), page("")
	s.fund(s.merchant, "USDT", "1000")
	if a := s.payOut(item("new")); a.status != http.StatusOK {
		t.Fatal(a.text)
	}
	if now := page("&date_to=2026-03-01"); over == "" || now != over {
		t.Errorf("the page of days that are over was %q and is %q", over, now)
	}
	if now := page(""); now != "l-5 l-4 l-3" || all != "l-4 l-3 l-2" {
		t.Errorf("the page of all was %q and is %q", all, now)
	}
}

func TestListPayoutsMetaAndSummary(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §List envelopes: Lists of payouts and payins", "api-v1 §GET /v1/list-payout: 200:",
		"api-v1 §GET /v1/list-payout: The summary is about", "api-v1 §Limits: Page")
	s := listed(t)
	decodeReply(t, s.ask("GET", "/v1/list-payout?per_page=3&page=2", "").text).wants(t, map[string]any{
		"message": "payments_retrieved_success", "summary.total_pending": 4, "summary.total_completed": 2, "summary.total_failed": 1,
		"meta.current_page": 2, "meta.per_page": 3, "meta.total": 8, "meta.total_pages": 3,
	})
	r := decodeReply(t, s.ask("GET", "/v1/list-payout?status=Completed&network=Ethereum&crypto_currency=USDT&date_from=2026-01-01", "").text)
	r.wants(t, map[string]any{
		"summary.total_pending": 0, "summary.total_completed": 2, "summary.total_failed": 0, "meta.total": 2, "meta.total_pages": 1,
		"meta.filters.status": "completed", "meta.filters.network": "Ethereum", "meta.filters.crypto_currency": "USDT",
		"meta.filters.date_from": nil,
	})
	_, key := s.newKey()
	s.key = key
	decodeReply(t, s.ask("GET", "/v1/list-payout", "").text).wants(t, map[string]any{"meta.total": 0, "meta.total_pages": 0, "payments.0": nil})
	if r := decodeReply(t, s.ask("GET", "/v1/list-payout", "").text); r.at("payments") == nil {
		t.Error("an empty list is not a list")
	}
}

func TestCheckPayout(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: invalid_reference_id", "api-v1 §Business errors: record_not_found",
		"api-v1 §GET /v1/check-payout/{internal_reference}: The reference is", "api-v1 §GET /v1/check-payout/{internal_reference}: 200:",
		"api-v1 §GET /v1/check-payout/{internal_reference}: Unknown", "api-v1 §Payout record: status", "api-v1 §Payout record: percent_rate",
		"api-v1 §Payout record: txid", "addendum §7: A record's fiat_amount")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	s.exec(`update merchants set payment_rate = 1.5 where id = ?`, s.merchant)
	created := decodeReply(t, s.payOut(item("c-0", "feetakenfromamount", `"1"`, "fiat_currency", `"brl"`)).text)
	id := created.at("results.0.internal_reference").(string)
	check := func() reply {
		a := s.ask("GET", "/v1/check-payout/"+id, "")
		if a.status != 200 {
			t.Fatal(a.text)
		}
		return decodeReply(t, a.text)
	}
	r := check()
	r.wants(t, map[string]any{
		"message": "payment_retrieved_success", "payment.internal_reference": id, "payment.reference_id": "c-0", "payment.wallet": evmWallet,
		"payment.crypto_currency": "USDT", "payment.fiat_currency": "BRL", "payment.crypto_amount": "7.85", "payment.fiat_amount": "42.39000000",
		"payment.process_by": "crypto_amount", "payment.percent_rate": "1.5", "payment.network_fee": "2", "payment.network": "Ethereum",
		"payment.status": "pending", "payment.txid": nil, "payment.memo": nil, "payment.webhook_url": "https://hooks.test/x",
		"payment.feetakenfromamount": "1",
	})
	if payment, _ := r.at("payment").(map[string]any); len(payment) != 18 {
		t.Errorf("%d fields: %v", len(payment), payment)
	}
	s.exec(`update payouts set status = 'refunded', txid = '0xabc', fiat_amount = null, created_at = '2026-05-06 07:08:09.9+00'`)
	check().wants(t, map[string]any{"payment.status": "refunded", "payment.txid": "0xabc", "payment.fiat_amount": nil,
		"payment.created_at": "2026-05-06 07:08:09"})

	unknown := map[string]string{"unknown": uuid.NewString(), "no UUID": "0123456789", "another form": strings.ReplaceAll(id, "-", ""),
		"with braces": "{" + id + "}", "percent": "%00" + id}
	for name, reference := range unknown {
		a := s.ask("GET", "/v1/check-payout/"+reference, "")
		a.is(t, 404, "record_not_found")
		if a.body.Error.Details["resource"] != "payment" {
			t.Errorf("%s: %s", name, a.text)
		}
	}
	s.ask("GET", "/v1/check-payout/123456789", "").is(t, 400, "invalid_reference_id")
	s.ask("GET", "/v1/check-payout/"+strings.Repeat("é", 756), "").is(t, 404, "record_not_found")
	s.ask("GET", "/v1/check-payout/"+strings.Repeat("x", 757), "").is(t, 400, "invalid_reference_id")
	_, key := s.newKey()
	s.key = key
	s.ask("GET", "/v1/check-payout/"+id, "").is(t, 404, "record_not_found")
}
