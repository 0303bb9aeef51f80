package client

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
)

// sign adds the three signature headers with a nonce of its own (addendum §1).
func (c *Client) sign(r *http.Request, body []byte) {
	timestamp, nonce := strconv.FormatInt(c.Now().Unix(), 10), rand.Text()
	r.Header.Set(header(c.HeaderPrefix, "Timestamp"), timestamp)
	r.Header.Set(header(c.HeaderPrefix, "Nonce"), nonce)
	r.Header.Set(header(c.HeaderPrefix, "Signature"),
		Sign(c.SigningSecret, r.Method, r.URL.EscapedPath(), r.URL.RawQuery, timestamp, nonce, body))
}

// Sign returns the value of the signature header of a request: the lower-case hex HMAC-SHA256 of six lines under the
// key's signing secret (addendum §1). path is percent-encoded as it is sent, query without "?".
func Sign(secret, method, path, query, timestamp, nonce string, body []byte) string {
	sum := sha256.Sum256(body)
	lines := []string{method, path, query, timestamp, nonce, hex.EncodeToString(sum[:])}
	return hmacOf(secret, strings.Join(lines, "\n"))
}

func hmacOf(secret, text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}
