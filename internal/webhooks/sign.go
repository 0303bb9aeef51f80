package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far a webhook's timestamp may lie from the receiver's clock (addendum §2).
const Tolerance = 300 * time.Second

const signatureScheme = "v1="

// Errors of Verify for webhooks not to be trusted.
var (
	ErrTimestamp = errors.New("webhook timestamp missing, unreadable or too far from now")
	ErrSignature = errors.New("webhook signature does not match")
)

// Sign returns the value of the signature header for one attempt: one "v1=<hex>" per secret in the order given, newest
// first while a secret is being rotated (addendum §2). timestamp is in Unix seconds.
func Sign(secrets []string, timestamp int64, delivery string, body []byte) string {
	text := signedText(strconv.FormatInt(timestamp, 10), delivery, body)
	parts := make([]string, len(secrets))
	for i, secret := range secrets {
		parts[i] = signatureScheme + hex.EncodeToString(mac(secret, text))
	}
	return strings.Join(parts, ",")
}

// Verify checks a received webhook under the receiver's secrets: signature, timestamp and delivery are the three header
// values as received. One matching pair of secret and signature is enough. It returns ErrTimestamp outside the
// tolerance and ErrSignature when nothing matches (addendum §2).
func Verify(secrets []string, signature, timestamp, delivery string, body []byte, now time.Time) error {
	if !withinTolerance(timestamp, now) {
		return ErrTimestamp
	}
	text, matched := signedText(timestamp, delivery, body), false
	for _, secret := range secrets {
		want := mac(secret, text)
		for part := range strings.SplitSeq(signature, ",") {
			matched = matches(strings.TrimSpace(part), want) || matched
		}
	}
	if !matched {
		return ErrSignature
	}
	return nil
}

func matches(part string, want []byte) bool {
	digits, ok := strings.CutPrefix(part, signatureScheme)
	got, err := hex.DecodeString(digits)
	return ok && err == nil && hmac.Equal(got, want)
}

func withinTolerance(timestamp string, now time.Time) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || timestamp[0] == '+' || timestamp[0] == '-' {
		return false
	}
	limit := int64(Tolerance / time.Second)
	return seconds >= now.Unix()-limit && seconds <= now.Unix()+limit
}

func signedText(timestamp, delivery string, body []byte) string {
	sum := sha256.Sum256(body)
	return "v1\n" + timestamp + "\n" + delivery + "\n" + hex.EncodeToString(sum[:])
}

func mac(secret, text string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(text))
	return h.Sum(nil)
}
