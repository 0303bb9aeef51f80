package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/api/input"
	"causeway/internal/proof/contract"
	"causeway/internal/vault"
)

func TestSignedRequests(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Authentication: 4", "addendum §4: 7")
	s := newShop(t, echoing)
	s.deps.Failures.Failures = 0
	front := s.open()
	_, key := s.newKey("signs = true")
	const body = `{"reference_id":"r-1"}`
	good := func() *http.Request {
		return signedAt(s.clock(), request("POST", "/v1/payin?a=%41&b", key, body), nonces(), body)
	}
	if a := ask(t, front, good()); a.status != 200 || a.body.Body != body {
		t.Fatalf("%d %s", a.status, a.text)
	}
	path := signedAt(s.clock(), request("GET", "/v1/check-payin/ref%2F1", key, ""), nonces(), "")
	if a := ask(t, front, path); a.status != 200 || a.body.Reference != "ref/1" {
		t.Errorf("encoded path: %d %s", a.status, a.text)
	}
	for name, change := range map[string]func(*http.Request){
		"body":      func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(body + " ")) },
		"no body":   func(r *http.Request) { r.Body = http.NoBody },
		"query":     func(r *http.Request) { r.RequestURI = "/v1/payin?a=A&b" },
		"nonce":     func(r *http.Request) { r.Header.Set("X-Service-Nonce", nonces()) },
		"timestamp": func(r *http.Request) { r.Header.Set("X-Service-Timestamp", "0"+r.Header.Get("X-Service-Timestamp")) },
		"method":    func(r *http.Request) { r.Method = "GET"; r.RequestURI = "/v1/balances" },
		"upper case": func(r *http.Request) {
			r.Header.Set("X-Service-Signature", strings.ToUpper(r.Header.Get("X-Service-Signature")))
		},
	} {
		r := good()
		change(r)
		t.Run(name, func(t *testing.T) { ask(t, front, r).is(t, 401, "signature_invalid") })
	}
	for _, name := range []string{"Signature", "Timestamp", "Nonce"} {
		absent, doubled := good(), good()
		absent.Header.Del("X-Service-" + name)
		doubled.Header.Add("X-Service-"+name, "x")
		ask(t, front, absent).is(t, 401, "signature_headers_missing")
		ask(t, front, doubled).is(t, 401, "signature_headers_missing")
	}
	old := signedAt(s.clock().Add(-301*time.Second), request("POST", "/v1/payin", key, body), nonces(), body)
	ask(t, front, old).is(t, 401, "signature_timestamp_out_of_range")
}

func TestNonceIsSpentByValidSignaturesAlone(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Authentication and access: signature_replayed", "addendum §1: Only a request with a good signature")
	s := newShop(t, echoing)
	front := s.open()
	_, key := s.newKey("signs = true", "rate_limit = 100, rate_window = 1")
	nonce := nonces()
	send := func() *http.Request { return signedAt(s.clock(), request("GET", "/v1/balances", key, ""), nonce, "") }
	forged := send()
	forged.Header.Set("X-Service-Signature", strings.Repeat("0", 64))
	ask(t, front, forged).is(t, 401, "signature_invalid")
	ask(t, front, send()).is(t, 200, "")
	for range 12 { // more than would block the address, were they counted
		ask(t, front, send()).is(t, 401, "signature_replayed")
	}
	ask(t, front, request("GET", "/v1/balances", "", "")).is(t, 401, "api_key_missing")
}

func TestReplaysAtOnceAreOne(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Authentication and access: signature_replayed")
	s := newShop(t, echoing)
	front := s.open()
	_, key := s.newKey("signs = true")
	nonce := nonces()
	var mu sync.Mutex
	codes := map[int]int{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			a := ask(t, front, signedAt(s.clock(), request("GET", "/v1/balances", key, ""), nonce, ""))
			mu.Lock()
			defer mu.Unlock()
			codes[a.status]++
		})
	}
	all.Wait()
	if codes[200] != 1 || codes[401] != 7 {
		t.Errorf("answers %v", codes)
	}
}

func TestSecretUnavailable(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Authentication and access: signature_secret_unavailable")
	s := newShop(t, echoing)
	s.deps.Failures.Failures = 0
	front := s.open()
	id, key := s.newKey("signs = true")
	send := func() *http.Request {
		return signedAt(s.clock(), request("GET", "/v1/balances", key, ""), nonces(), "")
	}
	for _, sealed := range [][]byte{nil, []byte("rubbish"), s.deps.Vault.Seal([]byte(signingSecret), vault.SigningSecretPlace("other")),
		s.deps.Vault.Seal(nil, vault.SigningSecretPlace(id))} {
		s.exec(`update keys set signing_secret = ? where id = ?`, sealed, id)
		ask(t, front, send()).is(t, 401, "signature_secret_unavailable")
		wrong := send()
		wrong.Header.Set("X-Service-Nonce", "short")
		ask(t, front, wrong).is(t, 401, "signature_nonce_length_invalid")
	}
}

func TestAKeyThatDoesNotSignIgnoresTheHeaders(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §1: Keys that need not sign")
	s := newShop(t, echoing)
	_, key := s.newKey()
	r := request("GET", "/v1/balances", key, "")
	r.Header.Set("X-Service-Signature", "rubbish")
	ask(t, s.open(), r).is(t, 200, "")
}

type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func TestBodies(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: json_parse_exception", "addendum §4: 10")
	s := newShop(t, echoing)
	s.deps.Failures.Failures = 0
	front := s.open()
	_, plainKey := s.newKey()
	_, signedKey := s.newKey("signs = true")
	text := func(size int) string { return `"` + strings.Repeat("x", size-2) + `"` }
	both := func(body, sent string) (a, b *http.Request) {
		a = request("POST", "/v1/payin", plainKey, sent)
		b = signedAt(s.clock(), request("POST", "/v1/payin", signedKey, sent), nonces(), body)
		return a, b
	}
	for name, c := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"empty":          {"", 200, ""},
		"1 MiB":          {text(input.MaxBody), 200, ""},
		"1 MiB and one":  {text(input.MaxBody + 1), 413, "request_too_large"},
		"3 MiB":          {text(3 << 20), 413, "request_too_large"},
		"12 MiB":         {text(12 << 20), 413, "request_too_large"},
		"blank":          {" ", 400, "json_parse_exception"},
		"duplicate":      {`{"a":1,"a":1}`, 400, "json_parse_exception"},
		"gzip":           {"\x1f\x8b\x08\x00", 400, "json_parse_exception"},
		"trailing":       {`{} {}`, 400, "json_parse_exception"},
		"null":           {`null`, 200, ""},
		"deep":           {strings.Repeat("[", 33) + strings.Repeat("]", 33), 400, "json_parse_exception"},
		"not quite deep": {strings.Repeat("[", 32) + strings.Repeat("]", 32), 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := both(c.body, c.body)
			ask(t, front, a).is(t, c.status, c.code)
			ask(t, front, b).is(t, c.status, c.code)
		})
	}
	_, forged := both("{}", text(3<<20))
	ask(t, front, forged).is(t, 401, "signature_invalid")
	a, b := both("{}", "{}")
	a.Body, b.Body = io.NopCloser(brokenBody{}), io.NopCloser(brokenBody{})
	ask(t, front, a).is(t, 400, "json_parse_exception")
	ask(t, front, b).is(t, 400, "json_parse_exception")
	get := request("GET", "/v1/balances", plainKey, "{")
	ask(t, front, get).is(t, 400, "json_parse_exception")
}

// A body announced as too large is refused without a look at it. Only a signature asks to see more of it.
func TestABodyThatIsSaidToBeTooLargeIsNotRead(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §13: A request whose Content-Length")
	s := newShop(t, echoing)
	front := s.open()
	_, plainKey := s.newKey()
	_, signedKey := s.newKey("signs = true")
	plain := request("POST", "/v1/payin", plainKey, "")
	plain.ContentLength = input.MaxBody + 1
	signed := signedAt(s.clock(), request("POST", "/v1/payin", signedKey, ""), nonces(), "{}")
	signed.ContentLength = maxSigned + 1
	for _, r := range []*http.Request{plain, signed} {
		unread := &untouched{}
		r.Body = unread
		ask(t, front, r).is(t, 413, "request_too_large")
		if unread.read {
			t.Error("the body was read")
		}
	}
}

// untouched is a body noting whether anybody read it.
type untouched struct{ read bool }

func (u *untouched) Read([]byte) (int, error) {
	u.read = true
	return 0, io.EOF
}

func (u *untouched) Close() error { return nil }

func TestABodyIsNotReadBeforeItsSenderIsKnown(t *testing.T) {
	t.Parallel()
	s := newShop(t, echoing)
	r := request("POST", "/v1/payin", "", "")
	body := &bytes.Buffer{}
	body.WriteString("{}")
	r.Body = io.NopCloser(body)
	ask(t, s.open(), r).is(t, 401, "api_key_missing")
	if body.Len() != 2 {
		t.Error("the body was read")
	}
}
