package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strconv"
	"time"
	"unicode/utf8"

	"causeway/api/input"
	"causeway/internal/pay"
)

// signatureTolerance is how far a signed request's timestamp may lie from the server's clock (api-v1 §Authentication).
const signatureTolerance = 300 * time.Second

// Faults of a signature, in the order of the checks (addendum §1).
var (
	errSignatureMissing = pay.E(pay.Unauthorized, "signature_headers_missing",
		"This key requires signed requests: send signature, timestamp and nonce.")
	errTimestampForm  = pay.E(pay.Unauthorized, "signature_timestamp_invalid", "The timestamp must be Unix seconds, digits only.")
	errTimestampRange = pay.E(pay.Unauthorized, "signature_timestamp_out_of_range",
		"The timestamp is more than 300 seconds from the server's time.")
	errNonceLength  = pay.E(pay.Unauthorized, "signature_nonce_length_invalid", "The nonce must have 16 to 80 characters.")
	errNonceCharset = pay.E(pay.Unauthorized, "signature_nonce_charset_invalid", "The nonce may have A-Z, a-z, 0-9, underscore and hyphen.")
	errSecret       = pay.E(pay.Unauthorized, "signature_secret_unavailable", "This key has no usable signing secret.")
	errSignature    = pay.E(pay.Unauthorized, "signature_invalid", "The signature does not match the request.")
	errReplayed     = pay.E(pay.Unauthorized, "signature_replayed", "This nonce was already used.")
)

// signed has the three signature headers of a request.
type signed struct {
	signature, timestamp, nonce string
}

// check makes the checks without the secret.
func (s signed) check(now time.Time) error {
	if s.signature == "" || s.timestamp == "" || s.nonce == "" {
		return errSignatureMissing
	}
	if !input.Only(s.timestamp, input.Digit) {
		return errTimestampForm
	}
	sent, err := strconv.ParseInt(s.timestamp, 10, 64)
	tolerance := int64(signatureTolerance / time.Second)
	if err != nil || sent < now.Unix()-tolerance || sent > now.Unix()+tolerance {
		return errTimestampRange
	}
	const shortest, longest = 16, 80
	if n := utf8.RuneCountInString(s.nonce); n < shortest || n > longest {
		return errNonceLength
	}
	if !input.Only(s.nonce, input.WordCharacter) {
		return errNonceCharset
	}
	return nil
}

// matches compares with the signature made by the secret, in constant time.
func (s signed) matches(secret []byte, method, path, query string, bodySum []byte) bool {
	want := sign(secret, method, path, query, s.timestamp, s.nonce, bodySum)
	return subtle.ConstantTimeCompare([]byte(want), []byte(s.signature)) == 1
}

// sign returns the lower-case hex HMAC-SHA256 of the six lines of addendum §1. bodySum is the SHA-256 of the body.
func sign(secret []byte, method, path, query, timestamp, nonce string, bodySum []byte) string {
	size := len(method) + len(path) + len(query) + len(timestamp) + len(nonce) + 2*len(bodySum) + 5
	text := make([]byte, 0, size)
	for _, line := range [...]string{method, path, query, timestamp, nonce} {
		text = append(append(text, line...), '\n')
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(hex.AppendEncode(text, bodySum))
	return hex.EncodeToString(mac.Sum(nil))
}
