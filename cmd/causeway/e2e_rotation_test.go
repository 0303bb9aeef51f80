package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/client"
	"causeway/internal/cli/integratorcmd"
	"causeway/internal/dev/testkit"
)

// arrived is a webhook as a receiver got it.
type arrived struct {
	header http.Header
	body   []byte
}

// TestWebhookSecretsRotate: during a rotation a receiver may know either secret, and after it the newer one alone.
//
// Covers operator §Admin: causeway admin merchant rotate-webhook-secret
// Covers operator §Admin: merchant rotate-webhook-secret
// Covers operator §dev: Starting again keeps
// Covers addendum §2: During a rotation
func TestWebhookSecretsRotate(t *testing.T) {
	t.Parallel()
	i := install(t, quickBlocks)
	webhooks := make(chan arrived, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		webhooks <- arrived{r.Header, body}
	}))
	t.Cleanup(receiver.Close)
	newest := func() arrived {
		var done integratorcmd.Triggered
		require.NoError(t, json.Unmarshal([]byte(i.command("trigger", client.PaymentConfirmed, "--webhook-url", receiver.URL)), &done))
		var last arrived
		testkit.Eventually(t, time.Minute, func() bool {
			select {
			case last = <-webhooks:
				body := string(last.body) // an earlier one may come again, if its answer took long
				return strings.Contains(body, client.PaymentConfirmed) && strings.Contains(body, done.InternalReference)
			default:
				return false
			}
		}, "it is confirmed")
		return last
	}
	signedBy := func(secrets ...string) {
		t.Helper()
		w := newest()
		signatures := strings.Split(w.header.Get("X-Service-Signature"), ",")
		require.Len(t, signatures, len(secrets))
		for at, secret := range secrets {
			_, err := client.VerifyWebhook(w.header, w.body, secret)
			require.NoError(t, err)
			alone := w.header.Clone()
			alone.Set("X-Service-Signature", signatures[at])
			_, err = client.VerifyWebhook(alone, w.body, secret)
			require.NoError(t, err, "newest first")
		}
	}
	rotate := func(flags ...string) (secret string) {
		var m struct {
			WebhookSecret string `json:"webhook_secret"`
			Rotating      bool   `json:"webhook_secret_rotating"`
		}
		args := append([]string{"admin", "merchant", "rotate-webhook-secret", i.file().MerchantID}, flags...)
		require.NoError(t, json.Unmarshal([]byte(i.command(args...)), &m))
		require.Equal(t, m.WebhookSecret != "", m.Rotating)
		return m.WebhookSecret
	}
	first := i.file().WebhookSecret
	signedBy(first)
	rotate()
	second := rotate("--again")
	signedBy(second, first)
	require.Empty(t, rotate("--finish"))
	signedBy(second)
	i.command("webhook", "test", "--merchant", i.file().MerchantID, "--url", i.file().InboxURL+"/rotated")
	for _, verified := range i.inbox("rotated") {
		require.True(t, verified, "the inbox knows the secret that holds")
	}
	require.Len(t, i.inbox("rotated"), 1)
	i.kill()
	i.start()
	testkit.Eventually(t, time.Minute, func() bool { return i.file().WebhookSecret == second }, "the next start tells the secret that holds")
}
