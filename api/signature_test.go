package api

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/api/input"
	"causeway/internal/proof/contract"
)

var vectorSecret = []byte("test-signing-secret-1")

// The vectors of addendum §1.
func TestSignatureVectors(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"addendum §1: X-Service-Signature is HMAC", "addendum §1: POST", "addendum §1: GET", "addendum §1: A key that demands")
	for _, v := range []struct{ method, path, query, timestamp, nonce, body, want string }{
		{"POST", "/v1/payin", "", "1760000000", "nonce-aaaaaaaaaaaaaaaa", `{"reference_id":"r-1"}`,
			"30f85c3f6fe2bc2674623cbe86c84d5954357468664a9709057f5ca44ee890ed"},
		{"GET", "/v1/list-payout", "page=2&status=PENDING", "1760000001", "nonce-bbbbbbbbbbbbbbbb", "",
			"6de896cbe9c920bd6a3e82c8350a66a521dcd3357f89312cb783b8b097d69bd1"},
	} {
		sum := sha256.Sum256([]byte(v.body))
		if got := sign(vectorSecret, v.method, v.path, v.query, v.timestamp, v.nonce, sum[:]); got != v.want {
			t.Errorf("%s %s: %s", v.method, v.path, got)
		}
		said := signed{v.want, v.timestamp, v.nonce}
		if !said.matches(vectorSecret, v.method, v.path, v.query, sum[:]) {
			t.Error("own signature does not match")
		}
		upper := signed{strings.ToUpper(v.want), v.timestamp, v.nonce}
		if upper.matches(vectorSecret, v.method, v.path, v.query, sum[:]) || said.matches([]byte("other"), v.method, v.path, v.query, sum[:]) {
			t.Error("another signature matches")
		}
	}
}

func TestSignatureHeadersInOrder(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §1: The checks, in this order")
	now := time.Unix(1760000000, 999_999_999)
	const good, nonce = "1760000000", "nonce-aaaaaaaaaaaaaaaa"
	for _, c := range []struct {
		said signed
		want error
	}{
		{signed{"s", good, nonce}, nil},
		{signed{"s", "1759999700", nonce}, nil},
		{signed{"s", "1760000300", nonce}, nil},
		{signed{"s", "0001760000000", strings.Repeat("_", 16)}, nil},
		{signed{"s", good, strings.Repeat("-", 80)}, nil},
		{signed{"", "x", "y"}, errSignatureMissing},
		{signed{"s", "", "y"}, errSignatureMissing},
		{signed{"s", "x", ""}, errSignatureMissing},
		{signed{"s", "x", "y"}, errTimestampForm},
		{signed{"s", "-1760000000", "y"}, errTimestampForm},
		{signed{"s", "1760000000.0", "y"}, errTimestampForm},
		{signed{"s", "１７６０", "y"}, errTimestampForm},
		{signed{"s", "1759999699", "y"}, errTimestampRange},
		{signed{"s", "1760000301", "y"}, errTimestampRange},
		{signed{"s", "1760000000000", "y"}, errTimestampRange},
		{signed{"s", strings.Repeat("9", 10_000), "y"}, errTimestampRange},
		{signed{"s", good, strings.Repeat("!", 15)}, errNonceLength},
		{signed{"s", good, strings.Repeat("!", 81)}, errNonceLength},
		{signed{"s", good, strings.Repeat("a", 15) + "!"}, errNonceCharset},
		{signed{"s", good, strings.Repeat("é", 16)}, errNonceCharset},
		{signed{"s", good, "nonce with a space"}, errNonceCharset},
	} {
		if err := c.said.check(now); !errors.Is(err, c.want) {
			t.Errorf("%.40q: %v, want %v", c.said, err, c.want)
		}
	}
}

func FuzzSignatureHeaders(f *testing.F) {
	f.Add("abc", "1760000000", "nonce-aaaaaaaaaaaaaaaa")
	f.Add("", "", "")
	f.Add("\xff", "99999999999999999999", "\x00")
	now := time.Unix(1760000000, 0)
	sum := sha256.Sum256(nil)
	f.Fuzz(func(t *testing.T, signature, timestamp, nonce string) {
		said := signed{signature, timestamp, nonce}
		if said.check(now) != nil {
			return
		}
		if !input.Only(timestamp, input.Digit) || len(nonce) < 16 || len(nonce) > 80 || !input.Only(nonce, input.WordCharacter) {
			t.Fatalf("%q was let through", said)
		}
		if said.matches(vectorSecret, "GET", "/", "", sum[:]) {
			t.Fatalf("%q was forged", said)
		}
		said.signature = sign(vectorSecret, "GET", "/", "", timestamp, nonce, sum[:])
		if !said.matches(vectorSecret, "GET", "/", "", sum[:]) || said.matches(vectorSecret, "GET", "/\n", "", sum[:]) {
			t.Fatal("the signature does not bind the request")
		}
	})
}

// target and the header rules give the signed text.
func TestTargetIsAsSent(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"addendum §1: 2", "addendum §1: 3")
	for line, want := range map[string][2]string{
		"/v1/check-payin/ref%2F1":            {"/v1/check-payin/ref%2F1", ""},
		"/v1/check-payin/a%20b%22?x=%2f&y=?": {"/v1/check-payin/a%20b%22", "x=%2f&y=?"},
		`/v1/check-payin/"a"`:                {`/v1/check-payin/"a"`, ""},
		"/v1/payin?":                         {"/v1/payin", ""},
		"http://host/v1/payin?a":             {"/v1/payin", "a"},
		"http://host":                        {"", ""},
		"//v1/payin":                         {"//v1/payin", ""},
		"*":                                  {"*", ""},
	} {
		path, query := target(&http.Request{RequestURI: line})
		if path != want[0] || query != want[1] {
			t.Errorf("%s: %q %q", line, path, query)
		}
	}
}
