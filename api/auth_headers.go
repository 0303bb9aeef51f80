package api

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"causeway/api/input"
)

// defaultHeaderPrefix starts the name of every header of ours (addendum §3).
const defaultHeaderPrefix = "X-Service"

// headerNames are the headers of api-v1 §Authentication in canonical form, and those of webhooks (addendum §2).
type headerNames struct {
	key, signature, timestamp, nonce, delivery string
}

func namesUnder(prefix string) headerNames {
	if prefix == "" {
		prefix = defaultHeaderPrefix
	}
	name := func(end string) string {
		return http.CanonicalHeaderKey(strings.TrimSuffix(prefix, "-") + "-" + end)
	}
	return headerNames{key: name("Invoke"), signature: name("Signature"), timestamp: name("Timestamp"), nonce: name("Nonce"),
		delivery: name("Delivery")}
}

// one returns a header sent exactly once; two of them are as good as none.
func one(r *http.Request, name string) string {
	if lines := r.Header[name]; len(lines) == 1 {
		return lines[0]
	}
	return ""
}

// idempotencyKey returns the header of 1 to 255 characters; a longer one is ignored, and the answer says so (api-v1 §Limits).
// Bytes outside UTF-8 are read as Latin-1, so every key can be stored.
func idempotencyKey(r *http.Request) (key string, tooLong bool) {
	const longest = 255
	key = r.Header.Get("Idempotency-Key")
	if !utf8.ValidString(key) {
		runes := make([]rune, len(key))
		for i := range len(key) {
			runes[i] = rune(key[i])
		}
		key = string(runes)
	}
	if !input.Within(key, 0, longest) {
		return "", true
	}
	return key, false
}
