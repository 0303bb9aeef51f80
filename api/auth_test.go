package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/internal/proof/contract"
)

func TestKeyChecks(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Authentication and access: api_key_missing", "api-v1 §Authentication and access: api_key_invalid", "addendum §4: 4",
		"api-v1 §Authentication: 1")
	s := newShop(t, echoing)
	s.deps.Failures.Failures = 0
	front := s.open()
	_, key := s.newKey()
	ask(t, front, request("GET", "/v1/balances", key, "")).is(t, 200, "")
	_, unknown := s.deps.Vault.NewAPIKey()
	wrong, doubled := request("GET", "/v1/balances", "", ""), request("GET", "/v1/balances", key, "")
	wrong.Header.Set("X-Service-Invoke", "")
	doubled.Header.Add("X-Service-Invoke", key)
	id, mine := s.newKey()
	stolen := mine[:len("cw_live_")] + id + strings.Repeat("0", 43)
	for name, c := range map[string]struct {
		r    *http.Request
		code string
	}{
		"none":         {request("GET", "/v1/balances", "", ""), "api_key_missing"},
		"blank":        {wrong, "api_key_missing"},
		"doubled":      {doubled, "api_key_invalid"},
		"unknown":      {request("GET", "/v1/balances", unknown, ""), "api_key_invalid"},
		"bad checksum": {request("GET", "/v1/balances", stolen+"000000", ""), "api_key_invalid"},
		"10 KB":        {request("GET", "/v1/balances", strings.Repeat("k", 10<<10), ""), "api_key_invalid"},
		"non-ASCII":    {request("GET", "/v1/balances", "clé\x80", ""), "api_key_invalid"},
	} {
		t.Run(name, func(t *testing.T) { ask(t, front, c.r).is(t, 401, c.code) })
	}
	s.exec(`update keys set hash = ? where id = ?`, s.deps.Vault.Hash(key), id)
	ask(t, front, request("GET", "/v1/balances", mine, "")).is(t, 401, "api_key_invalid")
}

func TestAccountConditionsInOrder(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Authentication and access: api_access_denied", "api-v1 §Authentication and access: email_not_verified",
		"api-v1 §Authentication and access: ip_not_authorized", "addendum §4: 5", "addendum §4: 6", "addendum §4: 9", "api-v1 §Authentication: 5")
	s := newShop(t, echoing)
	s.deps.Failures.Failures = 0
	front := s.open()
	_, key := s.newKey("ips = '{192.0.2.0/24}'", "signs = true", "scopes = '{}'", "rate_limit = 1, rate_window = 60")
	expect := func(status int, code string) {
		t.Helper()
		ask(t, front, request("GET", "/v1/balances", key, "")).is(t, status, code)
	}
	// Everything is wrong at once; each repair shows the next check of addendum §4.
	s.exec(`update merchants set suspended = true, api_access = false, verified = false`)
	s.exec(`update keys set revoked_at = now(), expires_at = now()`)
	expect(401, "api_key_invalid")
	s.exec(`update keys set revoked_at = null`)
	expect(401, "api_key_invalid")
	s.exec(`update keys set expires_at = ?`, s.clock().Add(time.Hour))
	expect(401, "api_key_invalid")
	s.exec(`update merchants set suspended = false`)
	expect(403, "api_access_denied")
	s.exec(`update merchants set api_access = true`)
	expect(403, "email_not_verified")
	s.exec(`update merchants set verified = true`)
	expect(403, "ip_not_authorized")
	s.exec(`update keys set ips = '{203.0.113.7}'`)
	expect(401, "signature_headers_missing")
	s.exec(`update keys set signs = false`)
	expect(403, "scope_denied")
	expect(429, "rate_limit_exceeded")
	s.exec(`update keys set scopes = '{balances:read}', rate_limit = null`)
	expect(200, "")
	s.wait(time.Hour)
	expect(401, "api_key_invalid")
}

func TestScopes(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Authentication and access: scope_denied", "api-v1 §Authentication: 2",
		"api-v1 §Versioning: breaking · A key without a list of scopes")
	s := newShop(t, echoing)
	front := s.open()
	_, legacy := s.newKey("scopes = null")
	ask(t, front, request("GET", "/v1/balances", legacy, "")).is(t, 200, "")
	refused := ask(t, front, request("POST", "/v1/payout", legacy, "{"))
	refused.is(t, 403, "scope_denied")
	details, _ := json.Marshal(refused.body.Error.Details)
	want := `{"granted_scopes":["payout:read","payin:read","balances:read","statements:read","prices:read"],"required_scopes":["payout:write"]}`
	if string(details) != want {
		t.Errorf("details %s", details)
	}
	_, none := s.newKey("scopes = '{}'")
	refused = ask(t, front, request("GET", "/v1/balances", none, ""))
	refused.is(t, 403, "scope_denied")
	if !strings.Contains(refused.text, `"granted_scopes":[]`) {
		t.Errorf("details of a key without scopes: %s", refused.text)
	}
}

func TestClientBehindProxies(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Authentication and access: invalid_ip", "addendum §4: 3", "api-v1 §Authentication: 3",
		"addendum §4: The client's address is the peer's")
	s := newShop(t, echoing)
	s.deps.TrustedProxies = networks(t, "203.0.113.0/24")
	front := s.open()
	_, key := s.newKey("ips = '{198.51.100.0/24}'")
	behind := func(forwarded string) *http.Request {
		r := request("GET", "/v1/balances", key, "")
		r.Header.Set("X-Forwarded-For", forwarded)
		return r
	}
	if a := ask(t, front, behind("1.1.1.1, 198.51.100.9")); a.status != 200 || a.body.IP != "198.51.100.9" {
		t.Errorf("%d %s", a.status, a.text)
	}
	ask(t, front, behind("198.51.100.9, 1.1.1.1")).is(t, 403, "ip_not_authorized")
	ask(t, front, behind("garbage")).is(t, 400, "invalid_ip")
	nobody := behind("198.51.100.9")
	nobody.RemoteAddr = "@"
	ask(t, front, nobody).is(t, 400, "invalid_ip")
}

func TestIdempotencyKeyArrivesWithTheCaller(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Limits: Idempotency-Key")
	s := newShop(t, echoing)
	front := s.open()
	id, key := s.newKey()
	s.exec(`insert into idempotency_keys (merchant_id, key, status, body) select merchant_id, 'again', 200, 'before' from keys where id = ?`, id)
	with := func(path, value string) answer {
		r := request("POST", path, key, "{}")
		r.Header.Set("Idempotency-Key", value)
		return ask(t, front, r)
	}
	if a := with("/v1/payout", "again"); a.body.Idempotency != "again" || a.body.Remembered != "before" {
		t.Errorf("known key: %s", a.text)
	}
	if a := with("/v1/payout", "new"); a.body.Idempotency != "new" || a.body.Remembered != "" {
		t.Errorf("new key: %s", a.text)
	}
	if a := with("/v1/payout", strings.Repeat("k", 255)); len(a.body.Idempotency) != 255 {
		t.Errorf("255 characters: %s", a.text)
	}
	if a := with("/v1/payout", strings.Repeat("k", 256)); a.status != 200 || a.body.Idempotency != "" {
		t.Errorf("256 characters: %s", a.text)
	}
	if a := with("/v1/payin", "again"); a.body.Idempotency != "" {
		t.Errorf("another operation: %s", a.text)
	}
	if a := with("/v1/payout", "caf\xe9"); a.body.Idempotency != "café" {
		t.Errorf("Latin-1: %s", a.text)
	}
}

func TestHeaderPrefix(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"addendum §3: HEADER_PREFIX", "operator §Settings: HEADER_PREFIX", "addendum §3: All our headers")
	for _, prefix := range []string{"X-Acme", "x-acme-"} {
		s := newShop(t, echoing)
		s.deps.HeaderPrefix = prefix
		front := s.open()
		_, key := s.newKey()
		ask(t, front, request("GET", "/v1/balances", key, "")).is(t, 401, "api_key_missing")
		r := request("GET", "/v1/balances", "", "")
		r.Header.Set("X-Acme-Invoke", key)
		ask(t, front, r).is(t, 200, "")
	}
}
