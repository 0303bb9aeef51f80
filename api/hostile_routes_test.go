package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"causeway/internal/vault"
)

// The tests of hostile input run one after the other and beside nothing else, since they measure what a request costs.

// order is a request every operation takes; its body is by field, each as raw JSON.
type order struct {
	target string
	fields map[string]string
}

// orders returns a good request for a route; references are new each time.
func (f *hostileFront) orders(r *Route) order {
	f.serial++
	fresh := fmt.Sprintf(`"fresh-%06d"`, f.serial)
	o := order{target: r.Path}
	switch r.Method + " " + r.Path {
	case "POST /v1/payout":
		o.fields = map[string]string{"wallet": quote(evmWallet), "crypto_currency": `"USDT"`, "process_by": `"crypto_amount"`, "reference_id": fresh,
			"network": `"Ethereum"`, "feetakenfromamount": `0`, "webhook_url": `"https://hooks.test/x"`, "crypto_amount": `"10"`,
			"fiat_amount": `"10"`, "fiat_currency": `"USD"`, "customer_info": `"c"`, "memo": `"12345678"`}
	case "POST /v1/payin":
		o.fields = map[string]string{"crypto_currency": `"USDT"`, "network": `"Tron"`, "process_by": `"crypto_amount"`, "crypto_amount": `"10"`,
			"fiat_amount": `"10"`, "fiat_currency": `"USD"`, "customer_info": `"c"`, "memo": `"12345678"`, "expires_at": `60`,
			"webhook_url": `"https://hooks.test/in"`, "reference_id": fresh}
	case "POST /v1/payment-request":
		o.fields = map[string]string{"amount": `"10"`, "currency": `"USD"`, "description": `"d"`, "customer_info": `"c"`, "expires_at": `60`,
			"webhook_url": `"https://hooks.test/in"`, "reference_id": fresh, "offers": `[{"crypto_currency":"USDT","network":"Tron"}]`, "colour": `"#0f766e"`, "support": `"help@shop.test"`}
	case "GET /v1/payment-request/:reference":
		o.target = "/v1/payment-request/request-00"
	case "POST /v1/payment-link":
		o.fields = map[string]string{"label": `"l"`, "currency": `"USD"`, "min_amount": `"5"`, "max_amount": `"10"`, "description": `"d"`, "slug": fresh,
			"webhook_url": `"https://hooks.test/in"`, "offers": `[{"crypto_currency":"USDT","network":"Tron"}]`, "colour": `"#0f766e"`, "support": `"https://shop.test/help"`}
	case "GET /v1/payment-link/:reference":
		o.target = "/v1/payment-link/link-00"
	case "POST /v1/payment-link/:reference/end":
		o.target = "/v1/payment-link/link-00/end"
	case "POST /v1/refund":
		o.fields = map[string]string{"payin": `"payin-0000"`, "reference_id": fresh, "amount": `"10"`, "feetakenfromamount": `0`, "webhook_url": `"https://hooks.test/x"`,
			"crypto_currency": `"USDT"`, "wallet": quote(payersWallet), "description": `"d"`}
	case "GET /v1/refund/:reference":
		o.target = "/v1/refund/refund-000"
	case "POST /v1/refund/:reference/revoke":
		o.target = "/v1/refund/refund-000/revoke"
	case "GET /v1/payin-refunds/:reference":
		o.target = "/v1/payin-refunds/payin-0000"
	case "POST /v1/fixed-wallets":
		o.fields = map[string]string{"type": `"tron"`, "customer_info": fresh}
	case "PUT /v1/fixed-wallets/config":
		o.fields = map[string]string{"webhook_url": `"https://hooks.test/w"`}
	case "GET /v1/check-payout/:reference":
		o.target = "/v1/check-payout/" + f.payout
	case "GET /v1/check-payin/:reference":
		o.target = "/v1/check-payin/payin-0000"
	case "GET /v1/get-price":
		o.target += "?currency1=BTC&currency2=USD"
	case "GET /v1/validate-address":
		o.target += "?network=Ethereum&wallet=" + evmWallet
	case "GET /v1/quote":
		o.target += "?operation=payin&network=Tron&token=USDT&amount=10"
	case "GET /v1/webhook-deliveries/:id", "POST /v1/webhook-deliveries/:id/redeliver":
		o.target = strings.Replace(r.Path, ":id", f.delivery, 1)
	}
	return o
}

func (o order) body(changes ...string) string {
	if o.fields == nil {
		return ""
	}
	return with(o.fields, changes...)
}

// everyRoute runs a test of each route of the table.
func everyRoute(t *testing.T, run func(f *hostileFront, r *Route)) {
	f := newHostileFront(t)
	defer f.close()
	if len(f.deps.Routes) != len(contractRoutes()) {
		t.Fatal("the table is not whole")
	}
	for i := range f.deps.Routes {
		run(f, &f.deps.Routes[i])
	}
}

func TestHostileOrdersAreGoodBefore(t *testing.T) {
	everyRoute(t, func(f *hostileFront, r *Route) {
		o := f.orders(r)
		if a := f.send("good", f.asked(r.Method, o.target, o.body())); a.status > 201 {
			t.Errorf("%s %s: %d %s", r.Method, o.target, a.status, a.text)
		}
	})
}

func TestHostileKeys(t *testing.T) {
	_, unknown := vault.New(make([]byte, vault.KeySize)).NewAPIKey()
	everyRoute(t, func(f *hostileFront, r *Route) {
		o := f.orders(r)
		for name, headers := range map[string][]string{
			"missing": {}, "blank": {"X-Service-Invoke", ""}, "spaces": {"X-Service-Invoke", " \t "},
			"doubled":            {"X-Service-Invoke", f.key, "X-Service-Invoke", f.key},
			"doubled, one blank": {"X-Service-Invoke", "", "X-Service-Invoke", f.key},
			"10 KB":              {"X-Service-Invoke", strings.Repeat("k", 10<<10)},
			"10 KB behind a key": {"X-Service-Invoke", f.key + strings.Repeat("k", 10<<10)},
			"non-ASCII":          {"X-Service-Invoke", "clé-\u202e"}, "bad UTF-8": {"X-Service-Invoke", f.key + "\xff"},
			"unknown": {"X-Service-Invoke", unknown},
			"a list":  {"X-Service-Invoke", f.key + "," + f.key}, "in capitals": {"X-Service-Invoke", strings.ToUpper(f.key)},
			"quoted": {"X-Service-Invoke", `"` + f.key + `"`}, "SQL": {"X-Service-Invoke", "' or 1=1 --"},
			"a template":        {"X-Service-Invoke", "cw_live_?0$1%s"},
			"in another header": {"Authorization", "Bearer " + f.key}, "with a low line": {"X_Service_Invoke", f.key},
		} {
			if a := f.send(name, sent{method: r.Method, target: o.target, body: o.body(), headers: headers}); a.status != http.StatusUnauthorized {
				t.Errorf("%s %s, key %s: %d %s", r.Method, r.Path, name, a.status, a.text)
			}
		}
	})
}

func TestHostileSignatures(t *testing.T) {
	everyRoute(t, func(f *hostileFront, r *Route) {
		if f.serial == 0 {
			f.exec("update keys set signs = true")
		}
		o := f.orders(r)
		stamp, nonce, hex := fmt.Sprint(f.clock().Unix()), "nonce-aaaaaaaaaaaaaaaa", strings.Repeat("0", 64)
		for name, h := range map[string][3]string{
			"none": {}, "forged": {hex, stamp, nonce}, "capitals": {strings.ToUpper(hex), stamp, nonce},
			"long":        {strings.Repeat("0", 8000), stamp, nonce},
			"a huge time": {hex, strings.Repeat("9", 8000), nonce}, "a time below zero": {hex, "-1", nonce},
			"a time with a dot": {hex, stamp + ".0", nonce},
			"full width digits": {hex, "１７６００００００００", nonce}, "a long nonce": {hex, stamp, strings.Repeat("n", 8000)},
			"a nonce of SQL": {hex, stamp, "'; drop table keys; --"}, "a nonce not UTF-8": {hex, stamp, strings.Repeat("\xff", 20)},
		} {
			s := f.asked(r.Method, o.target, o.body(), "X-Service-Signature", h[0], "X-Service-Timestamp", h[1], "X-Service-Nonce", h[2])
			if a := f.send(name, s); a.status != http.StatusUnauthorized {
				t.Errorf("%s %s, signature %s: %d %s", r.Method, r.Path, name, a.status, a.text)
			}
		}
	})
}

func TestHostilePaths(t *testing.T) {
	everyRoute(t, func(f *hostileFront, r *Route) {
		o := f.orders(r)
		path, _, _ := strings.Cut(o.target, "?")
		rest := strings.TrimPrefix(path, "/v1/")
		for _, target := range []string{
			"/" + path, "//x" + path, path + "/", path + "//", "/v1//" + rest, "/v1/./" + rest, "/v1/../v1/" + rest, "/x/.." + path,
			path + "/.", path + "/..",
			"/v1%2F" + rest, "%2Fv1/" + rest, "/v1/%2e/" + rest, "/v1/%2e%2e/v1/" + rest, "/V1/" + rest, "/v1/" + strings.ToUpper(rest),
			"/v1;a=b/" + rest,
			"/v1/\\" + rest, "/%76%31/" + rest, path + "/%00", "/v1%00/" + rest, "/v1/%00" + rest, "/v1/" + rest + "/" + strings.Repeat("x", 4000),
			"/v2/" + rest, "/v1/" + rest + "/../../../../etc/passwd", "/v1/%C0%AE%C0%AE/" + rest,
		} {
			code := "route_not_found"
			if below, is := strings.CutPrefix(target, deliveriesPath+"/"); is && r.Path == deliveriesPath && below != "" &&
				!strings.Contains(below, "/") {
				code = "record_not_found" // an id, of no webhook
			}
			f.wants(f.sentTo(r.Method, target, o.body()), http.StatusNotFound, code)
		}
		for _, method := range []string{"DELETE", "PATCH", "OPTIONS", "TRACE", "FOO", strings.ToLower(r.Method), strings.Repeat("M", 4000)} {
			f.wants(f.sentTo(method, o.target, o.body()), http.StatusNotFound, "route_not_found")
		}
		// A parameter may hold anything: it is an unknown reference.
		end := path + "%00"
		a := f.sentTo(r.Method, end, o.body())
		if a.status != http.StatusNotFound && a.status != http.StatusBadRequest {
			t.Errorf("%s %s: %d %s", r.Method, end, a.status, a.text)
		}
	})
}

// sentTo sends requests net/http lets through; it answers the others with 400 (TestHostileBytesOnTheWire).
func (f *hostileFront) sentTo(method, target, body string) answer {
	f.t.Helper()
	s := f.asked(method, target, body)
	if s.read() == nil {
		return answer{}
	}
	return f.send("path", s)
}

func (f *hostileFront) wants(a answer, status int, code string) {
	f.t.Helper()
	if a.status != 0 {
		a.is(f.t, status, code)
	}
}

// A client's headers beside the key change nothing.
func TestHostileHeaders(t *testing.T) {
	everyRoute(t, func(f *hostileFront, r *Route) {
		for _, headers := range [][]string{
			{"Content-Type", "text/plain"}, {"Content-Type", "application/x-www-form-urlencoded"},
			{"Content-Type", "application/json; charset=utf-16"},
			{"Content-Type", strings.Repeat("a/", 4000)}, {"Content-Type", "\xff"}, {"Accept", strings.Repeat("text/*;q=0.", 900)},
			{"Accept", "\x80"},
			{"X-Request-Id", strings.Repeat("r", 8000)}, {"X-Request-Id", "a\"b\\c"}, {"X-Forwarded-For", strings.Repeat("1.1.1.1,", 1000)},
			{"Idempotency-Key", strings.Repeat("k", 8000)}, {"Idempotency-Key", "\xff\xfe"}, {"Idempotency-Key", "'; drop table payouts; -- ?0"},
			{"Idempotency-Key", strings.Repeat("é", 255)}, {"Range", "bytes=0-1"}, {"If-None-Match", "*"}, {"X-HTTP-Method-Override", "DELETE"},
			{"Cookie", strings.Repeat("a=b;", 2000)}, {"Upgrade", "websocket"}, {"Accept-Encoding", "gzip"},
		} {
			o := f.orders(r)
			if a := f.send(headers[0], f.asked(r.Method, o.target, o.body(), headers...)); a.status > 201 {
				t.Errorf("%s %s with %.60q: %d %s", r.Method, r.Path, headers, a.status, a.text)
			}
		}
	})
}
