package api

import (
	"net/http"
	"strings"
	"testing"

	"causeway/api/input"
	"causeway/internal/proof/contract"
)

// Broken percent-encoding is told as such, with the parameter's name, whatever the code: "page must not be negative" was said
// of page=%zz.
func TestWhatCannotBeReadIsToldByName(t *testing.T) {
	contract.Covers(t, "addendum §13: A query's parameters end at &")
	everyRoute(t, func(f *hostileFront, r *Route) {
		if f.calm = true; r.Method != http.MethodGet {
			return
		}
		base, _, _ := strings.Cut(f.orders(r).target, "?")
		for _, p := range r.Doc.Params {
			if p.In != "" && p.In != "query" {
				continue
			}
			for _, value := range []string{"%zz", "%FF"} {
				if a := f.sentTo(r.Method, base+"?"+p.Name+"="+value, ""); a.status != http.StatusBadRequest ||
					!strings.Contains(a.text, p.Name) || !strings.Contains(a.text, input.NotEncoded) {
					t.Errorf("%s=%s: %d %s", p.Name, value, a.status, a.text)
				}
			}
		}
	})
}

// A filter with an odd value filters by it, or is refused by its own code; the whole list is never the answer.
func TestNoFilterIsLeftOut(t *testing.T) {
	contract.Covers(t, "addendum §13: A query's parameters end at &")
	f := newHostileFront(t)
	defer f.close()
	for query, code := range map[string]string{
		"/v1/list-payin?page=-1%": "invalid_page_number", "/v1/list-payin?per_page=101%": "invalid_per_page_limit",
		"/v1/list-payin?status=%zz": "invalid_status_filter", "/v1/list-payin?network=tron%zz": "invalid_network_filter",
		"/v1/list-payout?date_from=2026-13-01%": "invalid_date_from", "/v1/list-payout?date_to=%": "invalid_date_to",
		"/v1/list-payout?reference_id=%zz": "invalid_parameters", "/v1/list-payin?crypto_currency=USDT%": "invalid_parameters",
		"/v1/list-payin?reference_id=x&reference_id=%zz": "invalid_parameters", "/v1/list-payin?reference_id=x&reference_id=y": "invalid_parameters", "/v1/list-payin?reference%5Fid=%zz": "invalid_parameters",
		"/v1/list-payin?status=pending;": "invalid_status_filter", "/v1/list-payin?network=Tron;": "invalid_network_filter",
		"/v1/list-payout?date_from=2026-01-01;": "invalid_date_from",
		"/v1/statements?page=%zz":               "invalid_pagination", "/v1/statements?type=DEPOSIT%": "invalid_format",
		"/v1/statements/summary?balance=%": "invalid_format",
		"/v1/statements?min_amount=1%":     "invalid_amount", "/v1/statements?max_amount=1;": "invalid_amount",
		"/v1/statements?reference_id=%zz":  "invalid_reference_id",
		"/v1/webhook-deliveries?event=%zz": "invalid_parameters", "/v1/webhook-deliveries?reference=%zz": "invalid_reference_id",
		"/v1/get-price?currency1=BTC%&currency2=USD": "invalid_currency", "/v1/get-price?currency1=BTC&currency2=USD;": "invalid_currency",
		"/v1/fixed-wallets?customer_info=%zz": "invalid_parameters", "/v1/fixed-wallets?limit=%zz": "invalid_parameters",
		"/v1/quote?operation=payout&network=Tron&token=USDT&amount=1&currency=USD%": "invalid_parameters",
	} {
		if a := f.send("odd", f.asked(http.MethodGet, query, "")); a.status != 400 || decodeReply(t, a.text).code() != code {
			t.Errorf("%s: %d %s, want %s", query, a.status, a.text, code)
		}
	}
	for _, unread := range []string{"%FF", "%00", "a%C0%80b", "%ED%A0%80"} {
		for query, code := range map[string]string{
			"/v1/list-payin?reference_id=": "invalid_parameters", "/v1/list-payout?reference_id=": "invalid_parameters",
			"/v1/list-payin?page=":         "invalid_page_number",
			"/v1/statements?reference_id=": "invalid_reference_id", "/v1/webhook-deliveries?reference=": "invalid_reference_id",
			"/v1/fixed-wallets?customer_info=": "invalid_parameters", "/v1/get-price?currency2=USD&currency1=": "invalid_currency",
		} {
			if a := f.send("no text", f.asked(http.MethodGet, query+unread, "")); a.status != 400 || decodeReply(t, a.text).code() != code {
				t.Errorf("%s%s: %d %s, want %s", query, unread, a.status, a.text, code)
			}
		}
	}
	for query, none := range map[string]string{
		"/v1/list-payin?reference_id=a;b": "deposits", "/v1/list-payout?reference_id=a;b": "payments",
		"/v1/list-payin?crypto_currency=USDT;": "deposits",
		"/v1/statements?reference_id=a;b":      "statements", "/v1/fixed-wallets?customer_info=a;b": "wallets", "/v1/fixed-wallets?type=evm;": "wallets",
	} {
		if a := f.send("odd", f.asked(http.MethodGet, query, "")); a.status != 200 || len(decodeReply(t, a.text).list(none)) != 0 {
			t.Errorf("%s: %d %s", query, a.status, a.text)
		}
	}
	f.post("/v1/payin", with(aPayin, "reference_id", quote("a;b-f8c14a")))
	for _, query := range []string{"reference_id=a;b-f8c14a", "unknown=%zz&reference_id=a;b-f8c14a"} {
		a := f.send("semicolon", f.asked(http.MethodGet, "/v1/list-payin?"+query, ""))
		decodeReply(t, a.text).wants(t, map[string]any{"meta.total": 1, "meta.filters.reference_id": "a;b-f8c14a"})
	}
}
