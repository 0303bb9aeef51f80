package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/internal/vault"
)

// operations are those of the contract, with the scope of each as the contract says it (api-v1 §Endpoints, addendum §5).
var operations = []struct{ method, path, scope string }{
	{"POST", "/v1/payout", "payout:write"},
	{"GET", "/v1/list-payout", "payout:read"},
	{"GET", "/v1/check-payout/0197f1c2-7d6e-7b1a-9c55-0d6a1f0e8b11", "payout:read"},
	{"POST", "/v1/payin", "payin:write"},
	{"GET", "/v1/list-payin", "payin:read"},
	{"GET", "/v1/check-payin/order-0000001", "payin:read"},
	{"GET", "/v1/balances", "balances:read"},
	{"GET", "/v1/statements", "statements:read"},
	{"GET", "/v1/statements/summary", "statements:read"},
	{"GET", "/v1/summary", "statements:read"},
	{"GET", "/v1/summary/tokens", "statements:read"},
	{"GET", "/v1/summary/fiats", "statements:read"},
	{"GET", "/v1/get-price", "prices:read"},
	{"GET", "/v1/get-currencies", "prices:read"},
	{"GET", "/v1/fixed-wallets", "wallets:read"},
	{"GET", "/v1/fixed-wallets/supported", "wallets:read"},
	{"GET", "/v1/fixed-wallets/config", "wallets:read"},
	{"POST", "/v1/fixed-wallets", "payin:write"},
	{"PUT", "/v1/fixed-wallets/config", "payin:write"},
	{"GET", "/v1/validate-address?network=Tron&wallet=x", "payout:read"}, // extensions from here on
	{"GET", "/v1/quote?operation=payout&network=Tron&token=USDT&amount=10", "prices:read"},
	{"POST", "/v1/payment-request", "payin:write"},
	{"GET", "/v1/payment-request/order-0000001", "payin:read"},
	{"POST", "/v1/payment-link", "payin:write"},
	{"GET", "/v1/payment-links", "payin:read"},
	{"GET", "/v1/payment-link/green-tea", "payin:read"},
	{"POST", "/v1/payment-link/green-tea/end", "payin:write"},
	{"POST", "/v1/refund", "payout:write"},
	{"GET", "/v1/refund/refund-0000001", "payout:read"},
	{"POST", "/v1/refund/refund-0000001/revoke", "payout:write"},
	{"GET", "/v1/payin-refunds/order-0000001", "payout:read"},
	{"GET", "/v1/webhook-deliveries", "webhooks:read"},
	{"GET", "/v1/webhook-deliveries/0197f1c2-9a40-7c33-8f02-5b7e9d1c6a20", "webhooks:read"},
	{"POST", "/v1/webhook-deliveries/0197f1c2-9a40-7c33-8f02-5b7e9d1c6a20/redeliver", "webhooks:write"},
}

// Each operation is there, refuses a key with every other scope, and takes one with its scope alone.
func TestEveryOperationWantsItsScope(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §POST /v1/payout: Scope", "api-v1 §GET /v1/list-payout: Scope", "api-v1 §GET /v1/check-payout/{internal_reference}: Scope",
		"api-v1 §POST /v1/payin: Scope", "api-v1 §GET /v1/list-payin: Scope", "api-v1 §GET /v1/summary: Scope",
		"api-v1 §GET /v1/fixed-wallets: Scope", "api-v1 §Endpoints: Every call is authenticated",
		"addendum §5: GET /v1/check-payin/{reference}", "addendum §5: GET /v1/summary/tokens, GET /v1/summary/fiats",
		"addendum §5: GET /v1/get-currencies", "addendum §5: GET /v1/fixed-wallets/supported, GET /v1/fixed-wallets/config",
		"addendum §5: POST /v1/fixed-wallets, PUT /v1/fixed-wallets/config", "api-v1 §Versioning: 1", "api-v1 §Authentication: 1",
		"api-v1 §Extensions: They are authenticated")
	s := newShop(t, holding("1000"))
	s.deps.Failures.Failures = 0
	s.front = s.open()
	alone, others := map[string]string{}, map[string]string{}
	for _, scope := range pay.Scopes {
		rest := slices.DeleteFunc(slices.Clone(pay.Scopes), func(other string) bool { return other == scope })
		_, alone[scope] = s.newKey("scopes = '{" + scope + "}'")
		_, others[scope] = s.newKey("scopes = '{" + strings.Join(rest, ",") + "}'")
	}
	for _, o := range operations {
		body := ""
		if o.method != http.MethodGet {
			body = "{}"
		}
		refused := ask(t, s.front, request(o.method, o.path, others[o.scope], body))
		refused.is(t, 403, "scope_denied")
		required, _ := json.Marshal(refused.body.Error.Details["required_scopes"])
		if string(required) != `["`+o.scope+`"]` || strings.Contains(fmt.Sprint(refused.body.Error.Details["granted_scopes"]), o.scope) {
			t.Errorf("%s %s: %s", o.method, o.path, refused.text)
		}
		if a := ask(t, s.front, request(o.method, o.path, alone[o.scope], body)); a.status == 403 && a.body.Error.Code == "scope_denied" ||
			a.body.Error.Code == "route_not_found" {
			t.Errorf("%s %s with its scope: %s", o.method, o.path, a.text)
		}
		ask(t, s.front, request(o.method, o.path, "", body)).is(t, 401, "api_key_missing")
		ask(t, s.front, request(o.method, strings.TrimPrefix(o.path, "/v1"), s.key, body)).is(t, 404, "route_not_found")
	}
	if len(operations) != len(s.deps.Routes) {
		t.Errorf("the contract has %d operations, the front %d", len(operations), len(s.deps.Routes))
	}
}

var snake = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)

// Whatever refuses, the answer has the one shape: nothing but error at the top; code, message and at most details in it.
func TestRefusalsHaveOneShape(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §General conventions: 1", "api-v1 §General conventions: 4", "api-v1 §Errors: {error: {code, message, details?}}",
		"api-v1 §Errors: Programs go by code", "api-v1 §Versioning: breaking · All errors")
	s := newShop(t, holding("1000"))
	s.deps.Failures.Failures = 3
	s.front = s.open()
	_, scopeless := s.newKey("scopes = '{}'")
	_, spent := s.newKey("rate_limit = 1, rate_window = 60")
	_, suspended := s.newKey()
	ask(t, s.front, request("GET", "/v1/balances", spent, ""))
	for i, c := range []struct {
		method, path, key, body, code string
	}{
		{"GET", "/v1/nowhere", "", "", "route_not_found"},
		{"GET", "/v1/balances", "", "", "api_key_missing"},
		{"GET", "/v1/balances", suspended + "x", "", "api_key_invalid"},
		{"GET", "/v1/balances", scopeless, "", "scope_denied"},
		{"GET", "/v1/balances", spent, "", "rate_limit_exceeded"},
		{"POST", "/v1/payout", s.key, "{", "json_parse_exception"},
		{"POST", "/v1/payout", s.key, `"` + strings.Repeat("x", input.MaxBody) + `"`, "request_too_large"},
		{"POST", "/v1/payout", s.key, "null", "json_parse_failed"},
		{"POST", "/v1/payout", s.key, "[{}]", "invalid_parameters"},
		{"POST", "/v1/payout", s.key, item("r-1", "crypto_amount", `"5000"`), "insufficient_total_balance"},
		{"POST", "/v1/payin", s.key, "", "invalid_parameters"},
		{"POST", "/v1/payin", s.key, with(aPayin, "network", `"x"`), "invalid_network_or_deposits_disabled"},
		{"GET", "/v1/check-payout/nobody-knows", s.key, "", "record_not_found"},
		{"GET", "/v1/list-payin?page=-1", s.key, "", "invalid_page_number"},
		{"POST", "/v1/fixed-wallets", s.key, `{"type":"tron","customer_info":"c"}`, "feature_disabled"},
		{"GET", "/v1/balances", "", "", "api_key_missing"},
		{"GET", "/v1/balances", s.key, "", "too_many_failed_authentications"},
	} {
		r := request(c.method, c.path, c.key, c.body)
		r.Header.Set("Content-Type", "application/json")
		a := ask(t, s.front, r)
		var top map[string]map[string]json.RawMessage
		if err := json.Unmarshal([]byte(a.text), &top); err != nil || len(top) != 1 || a.body.Error.Code != c.code {
			t.Fatalf("%d: %s", i, a.text)
		}
		for name := range top["error"] {
			if !slices.Contains([]string{"code", "message", "details"}, name) {
				t.Errorf("%s has %s", c.code, name)
			}
		}
		words := strings.Contains(a.body.Error.Message, " ") && strings.HasSuffix(a.body.Error.Message, ".")
		if !snake.MatchString(a.body.Error.Code) || !words || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %v %s", c.code, a.header, a.text)
		}
	}
	for _, code := range Codes() {
		if !snake.MatchString(code.Code) {
			t.Errorf("%q is not snake_case", code.Code)
		}
	}
}

// After a failure of ours the same request is sent again: it is carried out once, and then its reference is taken. A
// refused request stays refused until it changes.
func TestTheSameRequestAfterAFailureOfOurs(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Errors: After 4xx the request has to change")
	s := newShop(t, holding("1000"))
	s.exec(`create function broken() returns trigger language plpgsql as $$ begin raise exception 'broken by the test'; end $$`)
	for _, c := range []struct{ path, table, body, wrong, failed, again string }{
		{"/v1/payout", "payouts", item("order-0000001"), item("order-0000001", "network", `"x"`), "internal_error", "duplicate_payment_reference"},
		{"/v1/payin", "payins", with(aPayin), with(aPayin, "network", `"x"`), "database_transaction_failed", "duplicate_reference_id"},
	} {
		send := func(body string) (int, string) {
			status, got := s.call(http.MethodPost, c.path, body)
			if code, ok := got.at("results.0.error.code").(string); ok {
				return status, code
			}
			return status, got.code()
		}
		refused, _ := send(c.wrong)
		if again, _ := send(c.wrong); refused != 400 || again != 400 {
			t.Errorf("%s: refused with %d, then %d", c.path, refused, again)
		}
		s.exec(`create trigger broken before insert on ` + c.table + ` for each row execute function broken()`)
		if status, code := send(c.body); status != 500 || code != c.failed {
			t.Errorf("%s: %d %s", c.path, status, code)
		}
		s.exec(`drop trigger broken on ` + c.table)
		if status, code := send(c.body); status != 200 {
			t.Errorf("%s again: %d %s", c.path, status, code)
		}
		if status, code := send(c.body); status != 400 || code != c.again {
			t.Errorf("%s once more: %d %s", c.path, status, code)
		}
		if n := s.count(`select count(*) from ` + c.table); n != 1 {
			t.Errorf("%d %s", n, c.table)
		}
	}
}

// Money brought by an operator shows in no list.
func TestListsShowWhatTheAPICreatedAlone(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §What the service does: List and check operations")
	s := newShop(t, holding("1000")) // its money was assigned by hand
	s.get("/v1/list-payout").wants(t, map[string]any{"meta.total": 0, "payments.0": nil})
	s.get("/v1/list-payin").wants(t, map[string]any{"meta.total": 0, "deposits.0": nil})
	if _, got := s.call(http.MethodPost, "/v1/payout", batchOf(item("out-000001"), item("out-000002"))); got.at("summary.successful") != 2.0 {
		t.Fatal(got)
	}
	if status, got := s.payin(); status != 200 {
		t.Fatal(got)
	}
	s.get("/v1/list-payout").wants(t, map[string]any{"meta.total": 2, "payments.0.reference_id": "out-000002",
		"payments.1.reference_id": "out-000001"})
	s.get("/v1/list-payin").wants(t, map[string]any{"meta.total": 1, "deposits.0.reference_id": "order-0000001", "deposits.1": nil})
}

// The vectors of addendum §1, sent as they stand: their signatures are taken at their time, and those differing in one
// line are not.
func TestSignatureVectorsAtTheFront(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §1: Vectors", "addendum §1: POST", "addendum §1: GET", "addendum §1: 1", "addendum §1: 4", "addendum §1: 5",
		"addendum §1: 6", "addendum §1: A key that demands")
	s := newShop(t, holding("1000"))
	id, key := s.newKey("signs = true")
	s.exec(`update keys set signing_secret = ? where id = ?`, s.deps.Vault.Seal(vectorSecret, vault.SigningSecretPlace(id)), id)
	send := func(method, target, body string, changes ...string) answer {
		r := request(method, target, key, body)
		for i := 0; i < len(changes); i += 2 {
			r.Header.Set("X-Service-"+changes[i], changes[i+1])
		}
		return ask(t, s.front, r)
	}
	for _, v := range []struct{ method, target, stamp, nonce, body, signature, code string }{
		{"POST", "/v1/payin", "1760000000", "nonce-aaaaaaaaaaaaaaaa", `{"reference_id":"r-1"}`,
			"30f85c3f6fe2bc2674623cbe86c84d5954357468664a9709057f5ca44ee890ed", "invalid_parameters"},
		{"GET", "/v1/list-payout?page=2&status=PENDING", "1760000001", "nonce-bbbbbbbbbbbbbbbb", "",
			"6de896cbe9c920bd6a3e82c8350a66a521dcd3357f89312cb783b8b097d69bd1", ""},
	} {
		s.wait(time.Unix(1760000000, 0).Sub(s.clock()))
		for name, a := range map[string]answer{
			"another method": send(map[string]string{"POST": "PUT", "GET": "POST"}[v.method],
				map[string]string{"POST": "/v1/fixed-wallets/config", "GET": "/v1/payout"}[v.method], v.body, "Timestamp", v.stamp, "Nonce",
				v.nonce, "Signature", v.signature),
			"another timestamp": send(v.method, v.target, v.body, "Timestamp", "1760000002", "Nonce", v.nonce, "Signature", v.signature),
			"another nonce":     send(v.method, v.target, v.body, "Timestamp", v.stamp, "Nonce", v.nonce+"x", "Signature", v.signature),
			"another body":      send(v.method, v.target, v.body+" ", "Timestamp", v.stamp, "Nonce", v.nonce, "Signature", v.signature),
		} {
			if a.status != 401 || a.body.Error.Code != "signature_invalid" {
				t.Errorf("%s: %d %s", name, a.status, a.text)
			}
		}
		if a := send(v.method, v.target, v.body, "Timestamp", v.stamp, "Nonce", v.nonce, "Signature", v.signature); a.status == 401 ||
			a.body.Error.Code != v.code {
			t.Errorf("%s %s: %d %s", v.method, v.target, a.status, a.text)
		}
	}
}

// Every header of ours follows the prefix, those of a signature too; under the default names nothing is read any more.
func TestSignaturesUnderAnotherPrefix(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §3: HEADER_PREFIX", "addendum §3: All our headers")
	s := newShop(t, echoing)
	s.deps.HeaderPrefix, s.deps.Failures.Failures = "X-Acme-", 0
	front := s.open()
	_, key := s.newKey("signs = true")
	signed := signedAt(s.clock(), request("GET", "/v1/balances", key, ""), nonces(), "")
	ask(t, front, signed).is(t, 401, "api_key_missing")
	signed.Header.Set("X-Acme-Invoke", key)
	for _, name := range []string{"Signature", "Timestamp", "Nonce"} {
		ask(t, front, signed).is(t, 401, "signature_headers_missing")
		signed.Header.Set("X-Acme-"+name, signed.Header.Get("X-Service-"+name))
		signed.Header.Del("X-Service-" + name)
	}
	ask(t, front, signed).is(t, 200, "")
}
