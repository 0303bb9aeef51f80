package webhooks_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"causeway/internal/webhooks"
)

const (
	vectorBody      = `{"event":"payment_processed"}`
	vectorSignature = "v1=6ff848f7687d34c1bcc58d5a18060a4569b037c500c8c0ddc83c01fc552b3ed9"
)

// Covers addendum §2: Vector
// Covers addendum §2: Signed is
func TestSignVector(t *testing.T) {
	got := webhooks.Sign([]string{"whsec_vector"}, 1760000000, "dlv_0001", []byte(vectorBody))
	if got != vectorSignature {
		t.Fatalf("got %s, want %s", got, vectorSignature)
	}
}

// Covers addendum §2: During a rotation
func TestSignWithTwoSecrets(t *testing.T) {
	got := webhooks.Sign([]string{"whsec_new", "whsec_vector"}, 1760000000, "dlv_0001", []byte(vectorBody))
	newest, older, ok := strings.Cut(got, ",")
	if !ok || older != vectorSignature || !strings.HasPrefix(newest, "v1=") || newest == older {
		t.Fatalf("got %s", got)
	}
}

// Covers addendum §2: A receiver takes timestamps
func TestVerify(t *testing.T) {
	const at = 1760000000
	both := webhooks.Sign([]string{"whsec_new", "whsec_vector"}, at, "dlv_0001", []byte(vectorBody))
	cases := []struct {
		name                          string
		secret, signature, stamp, dlv string
		body                          string
		now                           int64
		want                          error
	}{
		{"vector", "whsec_vector", vectorSignature, "1760000000", "dlv_0001", vectorBody, at, nil},
		{"newest of two", "whsec_new", both, "1760000000", "dlv_0001", vectorBody, at, nil},
		{"older of two", "whsec_vector", both, "1760000000", "dlv_0001", vectorBody, at, nil},
		{"spaced list", "whsec_vector", strings.Replace(both, ",", ", ", 1), "1760000000", "dlv_0001", vectorBody, at, nil},
		{"300 s late", "whsec_vector", vectorSignature, "1760000000", "dlv_0001", vectorBody, at + 300, nil},
		{"300 s early", "whsec_vector", vectorSignature, "1760000000", "dlv_0001", vectorBody, at - 300, nil},
		{"301 s late", "whsec_vector", vectorSignature, "1760000000", "dlv_0001", vectorBody, at + 301, webhooks.ErrTimestamp},
		{"301 s early", "whsec_vector", vectorSignature, "1760000000", "dlv_0001", vectorBody, at - 301, webhooks.ErrTimestamp},
		{"no timestamp", "whsec_vector", vectorSignature, "", "dlv_0001", vectorBody, at, webhooks.ErrTimestamp},
		{"signed timestamp", "whsec_vector", vectorSignature, "+1760000000", "dlv_0001", vectorBody, at, webhooks.ErrTimestamp},
		{"other timestamp", "whsec_vector", vectorSignature, "1760000001", "dlv_0001", vectorBody, at, webhooks.ErrSignature},
		{"other delivery", "whsec_vector", vectorSignature, "1760000000", "dlv_0002", vectorBody, at, webhooks.ErrSignature},
		{"other body", "whsec_vector", vectorSignature, "1760000000", "dlv_0001", vectorBody + " ", at, webhooks.ErrSignature},
		{"other secret", "whsec_other", vectorSignature, "1760000000", "dlv_0001", vectorBody, at, webhooks.ErrSignature},
		{"no signature", "whsec_vector", "", "1760000000", "dlv_0001", vectorBody, at, webhooks.ErrSignature},
		{"no scheme", "whsec_vector", vectorSignature[3:], "1760000000", "dlv_0001", vectorBody, at, webhooks.ErrSignature},
		{"not hex", "whsec_vector", "v1=zz", "1760000000", "dlv_0001", vectorBody, at, webhooks.ErrSignature},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := webhooks.Verify([]string{c.secret}, c.signature, c.stamp, c.dlv, []byte(c.body), time.Unix(c.now, 0))
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestVerifyWithoutSecrets(t *testing.T) {
	err := webhooks.Verify(nil, vectorSignature, "1760000000", "dlv_0001", []byte(vectorBody), time.Unix(1760000000, 0))
	if !errors.Is(err, webhooks.ErrSignature) {
		t.Fatalf("got %v", err)
	}
}
