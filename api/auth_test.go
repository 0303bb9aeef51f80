package api

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus"
	"github.com/uptrace/bun"

	"causeway/internal/contract"
	"causeway/internal/testkit"
	"causeway/pay"
	"causeway/store"
	"causeway/vault"
)

const (
	signingSecret = "sk_sign_test"
	somewhere     = "203.0.113.7:5000"
)

// desk is a front on the test's own database and Redis, with a clock that stands still.
type desk struct {
	t    testing.TB
	db   *bun.DB
	deps Deps
	log  *strings.Builder

	mu  sync.Mutex
	now time.Time
}

func newDesk(t testing.TB) *desk {
	d := &desk{t: t, db: testkit.DB(t), log: new(strings.Builder), now: time.Now().Truncate(time.Second)}
	log := logrus.New()
	log.SetOutput(d.log)
	d.deps = Deps{
		Keys:     store.New(d.db),
		Vault:    vault.New(make([]byte, vault.KeySize)),
		Redis:    testkit.Redis(t),
		Quota:    Quota{Requests: 1000, Window: time.Minute},
		Failures: FailureRule{Failures: 10, Within: 5 * time.Minute, Block: 15 * time.Minute},
		Log:      log,
		Now:      d.clock,
		Routes: []Route{
			{Method: "GET", Path: "/v1/balances", Scope: pay.ScopeBalancesRead, Handler: echo},
			{Method: "GET", Path: "/v1/check-payin/:reference", Scope: pay.ScopePayinRead, Handler: echo},
			{Method: "POST", Path: "/v1/payin", Scope: pay.ScopePayinWrite, Handler: echo},
			{Method: "POST", Path: "/v1/payout", Scope: pay.ScopePayoutWrite, Idempotent: true, Handler: echo},
		},
	}
	return d
}

// echo answers what an operation gets to see.
func echo(c *Call) error {
	remembered := ""
	if m := c.Caller.Remembered; m != nil {
		remembered = string(m.Body)
	}
	reference, _ := c.Param("reference")
	return c.JSON(http.StatusOK, map[string]any{
		"reference": reference, "q": c.Query("q"), "body": string(c.Body), "merchant": c.Caller.Merchant.ID,
		"idempotency": c.IdempotencyKey, "remembered": remembered, "ip": c.IP.String(),
	})
}

func (d *desk) clock() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *desk) wait(step time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(step)
}

func (d *desk) exec(query string, args ...any) {
	d.t.Helper()
	if _, err := d.db.ExecContext(d.t.Context(), query, args...); err != nil {
		d.t.Fatal(err)
	}
}

// key makes a merchant with a key of every scope; changes are applied to the key's row, such as "signs = true".
func (d *desk) key(changes ...string) (id, key string) {
	d.t.Helper()
	merchant := uuid.Must(uuid.NewV7())
	d.exec(`insert into merchants (id, name, webhook_secret) values (?, 'Shop', 'x')`, merchant)
	id, key = d.deps.Vault.NewAPIKey()
	sealed := d.deps.Vault.Seal([]byte(signingSecret), vault.SigningSecretPlace(id))
	d.exec(`insert into keys (id, merchant_id, hash, scopes, signing_secret) values (?, ?, ?, string_to_array(?, ','), ?)`,
		id, merchant, d.deps.Vault.Hash(key), strings.Join(pay.Scopes, ","), sealed)
	for _, change := range changes {
		d.exec(`update keys set `+change+` where id = ?`, id)
	}
	return id, key
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	text   string
	body   struct {
		Error                                           Problem
		Reference, Q, Body, Idempotency, Remembered, IP string
	}
}

func (a answer) is(t testing.TB, status int, code string) {
	t.Helper()
	if a.status != status || a.body.Error.Code != code {
		t.Errorf("got %d %s, want %d %s", a.status, a.text, status, code)
	}
}

func ask(t testing.TB, front http.Handler, r *http.Request) answer {
	t.Helper()
	w := httptest.NewRecorder()
	front.ServeHTTP(w, r)
	a := answer{status: w.Code, header: w.Header(), text: w.Body.String()}
	if strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(w.Body.Bytes(), &a.body); err != nil {
			t.Fatalf("%s: %v", a.text, err)
		}
	}
	if a.header.Get("X-Request-Id") == "" {
		t.Error("no X-Request-Id")
	}
	return a
}

func request(method, target, key, body string) *http.Request {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, reader)
	r.RemoteAddr = somewhere
	if key != "" {
		r.Header.Set("X-Service-Invoke", key)
	}
	return r
}

var nonces = func() func() string {
	var mu sync.Mutex
	n := 0
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return "nonce-of-this-test-" + strconv.Itoa(n)
	}
}()

// signedAt adds the three headers for a body.
func signedAt(now time.Time, r *http.Request, nonce, body string) *http.Request {
	path, query := target(r)
	stamp := strconv.FormatInt(now.Unix(), 10)
	sum := sha256.Sum256([]byte(body))
	r.Header.Set("X-Service-Timestamp", stamp)
	r.Header.Set("X-Service-Nonce", nonce)
	r.Header.Set("X-Service-Signature", sign([]byte(signingSecret), r.Method, path, query, stamp, nonce, sum[:]))
	return r
}

func TestKeyChecks(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Authentication and access: api_key_missing", "api-v1 §Authentication and access: api_key_invalid", "addendum §4: 4",
		"api-v1 §Authentication: 1")
	d := newDesk(t)
	d.deps.Failures.Failures = 0
	front := d.open()
	_, key := d.key()
	ask(t, front, request("GET", "/v1/balances", key, "")).is(t, 200, "")
	_, unknown := d.deps.Vault.NewAPIKey()
	wrong, doubled := request("GET", "/v1/balances", "", ""), request("GET", "/v1/balances", key, "")
	wrong.Header.Set("X-Service-Invoke", "")
	doubled.Header.Add("X-Service-Invoke", key)
	id, mine := d.key()
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
	d.exec(`update keys set hash = ? where id = ?`, d.deps.Vault.Hash(key), id)
	ask(t, front, request("GET", "/v1/balances", mine, "")).is(t, 401, "api_key_invalid")
}

func TestAccountConditionsInOrder(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Authentication and access: api_access_denied", "api-v1 §Authentication and access: email_not_verified",
		"api-v1 §Authentication and access: ip_not_authorized", "addendum §4: 5", "addendum §4: 6", "addendum §4: 9", "api-v1 §Authentication: 5")
	d := newDesk(t)
	d.deps.Failures.Failures = 0
	front := d.open()
	_, key := d.key("ips = '{192.0.2.0/24}'", "signs = true", "scopes = '{}'", "rate_limit = 1, rate_window = 60")
	expect := func(status int, code string) {
		t.Helper()
		ask(t, front, request("GET", "/v1/balances", key, "")).is(t, status, code)
	}
	// Everything is wrong at once; each repair shows the next check of addendum §4.
	d.exec(`update merchants set suspended = true, api_access = false, verified = false`)
	d.exec(`update keys set revoked_at = now(), expires_at = now()`)
	expect(401, "api_key_invalid")
	d.exec(`update keys set revoked_at = null`)
	expect(401, "api_key_invalid")
	d.exec(`update keys set expires_at = ?`, d.clock().Add(time.Hour))
	expect(401, "api_key_invalid")
	d.exec(`update merchants set suspended = false`)
	expect(403, "api_access_denied")
	d.exec(`update merchants set api_access = true`)
	expect(403, "email_not_verified")
	d.exec(`update merchants set verified = true`)
	expect(403, "ip_not_authorized")
	d.exec(`update keys set ips = '{203.0.113.7}'`)
	expect(401, "signature_headers_missing")
	d.exec(`update keys set signs = false`)
	expect(403, "scope_denied")
	expect(429, "rate_limit_exceeded")
	d.exec(`update keys set scopes = '{balances:read}', rate_limit = null`)
	expect(200, "")
	d.wait(time.Hour)
	expect(401, "api_key_invalid")
}

func TestScopes(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Authentication and access: scope_denied", "api-v1 §Authentication: 2",
		"api-v1 §Versioning: breaking · A key without a list of scopes")
	d := newDesk(t)
	front := d.open()
	_, legacy := d.key("scopes = null")
	ask(t, front, request("GET", "/v1/balances", legacy, "")).is(t, 200, "")
	refused := ask(t, front, request("POST", "/v1/payout", legacy, "{"))
	refused.is(t, 403, "scope_denied")
	details, _ := json.Marshal(refused.body.Error.Details)
	want := `{"granted_scopes":["payout:read","payin:read","balances:read","statements:read","prices:read"],"required_scopes":["payout:write"]}`
	if string(details) != want {
		t.Errorf("details %s", details)
	}
	_, none := d.key("scopes = '{}'")
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
	d := newDesk(t)
	d.deps.TrustedProxies = networks(t, "203.0.113.0/24")
	front := d.open()
	_, key := d.key("ips = '{198.51.100.0/24}'")
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
	d := newDesk(t)
	front := d.open()
	id, key := d.key()
	d.exec(`insert into idempotency_keys (merchant_id, key, status, body) select merchant_id, 'again', 200, 'before' from keys where id = ?`, id)
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
		d := newDesk(t)
		d.deps.HeaderPrefix = prefix
		front := d.open()
		_, key := d.key()
		ask(t, front, request("GET", "/v1/balances", key, "")).is(t, 401, "api_key_missing")
		r := request("GET", "/v1/balances", "", "")
		r.Header.Set("X-Acme-Invoke", key)
		ask(t, front, r).is(t, 200, "")
	}
}
