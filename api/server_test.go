package api

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"causeway/internal/store"
	"causeway/internal/vault"
)

// listen serves the front on a real connection, where net/http itself may refuse.
func listen(t *testing.T, front http.Handler) (address string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := NewServer("", front)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

func say(t *testing.T, address, text string) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	_, _ = io.WriteString(conn, text) // the server may hang up first
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%.80q: %v", text, err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	return response
}

func TestRequestLinesOnTheWire(t *testing.T) {
	t.Parallel()
	s := newShop(t, echoing)
	_, key := s.newKey()
	address := listen(t, s.open())
	for line, want := range map[string]int{
		"GET /v1/balances HTTP/1.1":                                      200,
		"GET http://other.example/v1/balances HTTP/1.1":                  200,
		"GET /v1/check-payin/ref%2F1 HTTP/1.1":                           200,
		"GET /v1/check-payin/\"a\" HTTP/1.1":                             200,
		"GET //v1/balances HTTP/1.1":                                     404,
		"GET /v1/balances/ HTTP/1.1":                                     404,
		"GET /v1/./balances HTTP/1.1":                                    404,
		"OPTIONS * HTTP/1.1":                                             404,
		"CONNECT /v1/balances HTTP/1.1":                                  404,
		"TRACE /v1/balances HTTP/1.1":                                    404,
		"GET /v1/check-payin/%zz HTTP/1.1":                               400,
		"GET /v1/check-payin/\x00 HTTP/1.1":                              400,
		"GET /v1/balances HTTP/1.1\r\nX: " + strings.Repeat("x", 24<<10): 431,
	} {
		text := line + "\r\nHost: x\r\nX-Service-Invoke: " + key + "\r\nConnection: close\r\n\r\n"
		if got := say(t, address, text); got.StatusCode != want {
			t.Errorf("%.60q: %d, want %d", line, got.StatusCode, want)
		}
	}
}

func TestServerHasLimits(t *testing.T) {
	t.Parallel()
	s := NewServer(":1", http.NotFoundHandler())
	if s.ReadHeaderTimeout != 5*time.Second || s.ReadTimeout != 15*time.Second || s.IdleTimeout != time.Minute ||
		s.MaxHeaderBytes != 16<<10 || s.WriteTimeout == 0 {
		t.Errorf("%+v", s)
	}
}

type brokenKeys struct{ err error }

func (b brokenKeys) Caller(context.Context, string, string) (*store.Caller, error) {
	return nil, b.err
}
func (b brokenKeys) SpendNonce(context.Context, string, string) (bool, error) {
	return false, b.err
}

func TestADatabaseThatIsAwayIsNotAWrongKey(t *testing.T) {
	t.Parallel()
	s := newShop(t, echoing)
	s.deps.Failures.Failures = 1
	_, key := s.newKey()
	s.deps.Keys = brokenKeys{errors.New("connection refused")}
	front := s.open()
	for range 3 {
		ask(t, front, request("GET", "/v1/balances", key, "")).is(t, 500, "internal_error")
	}
}

// counted counts how often a caller is looked up.
type counted struct {
	Keys
	asked atomic.Int32
}

func (c *counted) Caller(ctx context.Context, keyID, idempotencyKey string) (*store.Caller, error) {
	c.asked.Add(1)
	return c.Keys.Caller(ctx, keyID, idempotencyKey)
}

// late is a body with something happening before its first byte.
type late struct {
	io.Reader
	before func()
}

func (l *late) Read(p []byte) (int, error) {
	if l.before != nil {
		l.before()
		l.before = nil
	}
	return l.Reader.Read(p)
}

// A body held open keeps no door open: a caller no longer allowed when it has come is refused. One coming at once costs no
// second look.
//
// Covers addendum §4: A request whose body
func TestWhoMayCallIsLookedAtAgainAfterALongBody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change string
		long   bool
		status int
		code   string
		asked  int
	}{
		"at once":             {"", false, 200, "", 1},
		"long":                {"", true, 200, "", 2},
		"revoked":             {"update keys set revoked_at = now()", true, 401, "api_key_invalid", 2},
		"suspended":           {"update merchants set suspended = true", true, 401, "api_key_invalid", 2},
		"no access":           {"update merchants set api_access = false", true, 403, "api_access_denied", 2},
		"without its scope":   {"update keys set scopes = '{}'", true, 403, "scope_denied", 2},
		"not from this place": {"update keys set ips = '{192.0.2.1}'", true, 403, "ip_not_authorized", 2},
	} {
		for _, signs := range []string{"false", "true"} {
			t.Run(name+", signs "+signs, func(t *testing.T) {
				t.Parallel()
				s := newShop(t, echoing)
				keys := &counted{Keys: NewCallers(store.New(s.db))}
				s.deps.Keys = keys
				s.deps.Failures.Failures = 1 // a 401 is counted, whenever it is found
				front := s.open()
				_, key := s.newKey("signs = " + signs)
				look := func() answer {
					return ask(t, front, signedAt(s.clock(), request("GET", "/v1/check-payin/kept", key, ""), nonces(), ""))
				}
				look()
				keys.asked.Store(0)
				r := signedAt(s.clock(), request("POST", "/v1/payout", key, "{}"), nonces(), "{}")
				r.Body = io.NopCloser(&late{Reader: r.Body, before: func() {
					if c.long {
						s.wait(longBody + time.Millisecond)
					}
					if c.change != "" {
						s.exec(c.change)
					}
				}})
				ask(t, front, r).is(t, c.status, c.code)
				if n := int(keys.asked.Load()); n != c.asked {
					t.Errorf("looked up %d times, not %d", n, c.asked)
				}
				if blocked := look().status == 429; blocked != (c.status == 401) {
					t.Errorf("the address is blocked: %v", blocked)
				}
			})
		}
	}
}

// TestALongBodyIsNoWayAroundASignature: a key beginning to sign while a body came is asked for a signature. With one, the
// request is answered, and its nonce is spent.
//
// Covers addendum §4: If its key has begun to sign
func TestALongBodyIsNoWayAroundASignature(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	id, _ := s.deps.Vault.ParseAPIKey(s.key)
	nonce := nonces()
	send := func(reference string, sign bool) answer {
		s.exec("update keys set signs = false")
		body := item(reference)
		r := request(http.MethodPost, "/v1/payout", s.key, body)
		if sign {
			r = signedAt(s.clock(), r, nonce, body)
		}
		r.Body = io.NopCloser(&late{Reader: r.Body, before: func() {
			s.wait(longBody + time.Millisecond)
			s.exec("update keys set signs = true, signing_secret = ? where id = ?",
				s.deps.Vault.Seal([]byte(signingSecret), vault.SigningSecretPlace(id)), id)
		}})
		return ask(t, s.front, r)
	}
	send("plain", false).is(t, 401, "signature_headers_missing")
	send("signed", true).is(t, 200, "")
	send("replayed", true).is(t, 401, "signature_replayed")
	if n := s.count("select count(*) from payouts where reference_id in ('plain', 'signed', 'replayed')"); n != 1 {
		t.Errorf("%d payouts", n)
	}
}
