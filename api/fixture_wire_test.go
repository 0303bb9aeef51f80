package api

import (
	"causeway/internal/pay"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Requests and answers of the tests. newShop makes a front to send them through (fixture_test.go).

const (
	signingSecret = "sk_sign_test" // of every key
	somewhere     = "203.0.113.7:5000"
)

// request is one with a key, or without any; a signature is added by signedAt.
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

// nonces returns another nonce each time.
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

// answer is a received response.
type answer struct {
	status int
	header http.Header
	text   string
	body   struct {
		Error                                           Problem
		Reference, Q, Body, Idempotency, Remembered, IP string
	}
}

// is wants a status, and the code of an error or "" for none.
func (a answer) is(t testing.TB, status int, code string) {
	t.Helper()
	if a.status != status || a.body.Error.Code != code {
		t.Errorf("got %d %s, want %d %s", a.status, a.text, status, code)
	}
}

// ask sends a request through a front.
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

// reply is a decoded answer; at walks into it by dots: "error.details.fields.memo", "payments.0.txid".
type reply map[string]any

// decodeReply wants a JSON object.
func decodeReply(t testing.TB, text string) (out reply) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func (r reply) at(path string) any {
	var here any = map[string]any(r)
	for _, step := range strings.Split(path, ".") {
		switch v := here.(type) {
		case map[string]any:
			here = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			here = v[i]
		default:
			return nil
		}
	}
	return here
}

func (r reply) list(path string) []any {
	list, _ := r.at(path).([]any)
	return list
}

// wants compares the values at paths; nil means null or absent.
func (r reply) wants(t testing.TB, want map[string]any) {
	t.Helper()
	for path, value := range want {
		if n, ok := value.(int); ok {
			value = float64(n) // as JSON numbers decode
		}
		if got := r.at(path); got != value {
			t.Errorf("%s is %v, want %v", path, got, value)
		}
	}
}

// code is the code of the error, "" when there is none.
func (r reply) code() string {
	code, _ := r.at("error.code").(string)
	return code
}

// with returns a JSON object of raw values, changed: an empty value removes the name.
func with(base map[string]string, changes ...string) string {
	all := maps.Clone(base)
	for i := 0; i < len(changes); i += 2 {
		all[changes[i]] = changes[i+1]
	}
	var fields []string
	for name, raw := range all {
		if raw != "" {
			fields = append(fields, strconv.Quote(name)+":"+raw)
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

const (
	evmWallet   = "0x52908400098527886E0F7030069857D2E4169EE7"
	hotWallet   = "0xde709f2102306220921060314715629080e2fb77"
	tetherOnEth = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
	tronWallet  = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"
	xrpWallet   = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
	xrpTagged   = "X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu" // the fake reads its tag as 1
	tonWallet   = "EQDrjaLahLkMB-hMCmkzOyBuHJ139ZUYmPHu6RRBKnbdLIYI"
)

// item is a payout of 10 USDT on Ethereum with fees on top, with changes as raw JSON; an empty one removes a field.
func item(reference string, changes ...string) string {
	return with(map[string]string{
		"wallet": quote(evmWallet), "crypto_currency": `"USDT"`, "process_by": `"crypto_amount"`, "reference_id": quote(reference),
		"network": `"Ethereum"`, "feetakenfromamount": `0`, "webhook_url": `"https://hooks.test/x"`, "crypto_amount": `"10"`,
	}, changes...)
}

// quote is a text as JSON.
func quote(text string) string { return fmt.Sprintf("%q", text) }

// batchOf is the body of several payouts.
func batchOf(items ...string) string { return "[" + strings.Join(items, ",") + "]" }

// codeOf returns the contract's code of an error, "" of another.
func codeOf(err error) string {
	if e, ok := errors.AsType[*pay.Error](err); ok {
		return e.Code
	}
	return ""
}
