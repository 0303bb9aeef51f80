package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/client"
	"causeway/internal/cli/command"
	"causeway/internal/cli/integratorcmd"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// said collects the output of a command while it runs.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// listening runs causeway listen beside the installation in dir until the test ends; then the command must end well.
func listening(t *testing.T, settings []string, dir string, args ...string) *said {
	t.Helper()
	stdout, stderr := new(said), new(said)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- newProgram(settings, stdout, stderr).run(ctx, append([]string{"listen", "--data-dir", dir}, args...))
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != command.ExitOK {
			t.Errorf("listen ended with %d: %s", code, stderr)
		}
	})
	testkit.Eventually(t, time.Minute, func() bool { return strings.Contains(stderr.String(), "listening") }, "it listens")
	return stdout
}

// TestTryingOutAnIntegration triggers every event beside a running installation, with a listener forwarding them.
//
// Covers operator §Roles: The API's port has the documentation
// Covers operator §Trying out an integration: causeway trigger
// Covers operator §Trying out an integration: causeway listen
// Covers operator §Trying out an integration: trigger
// Covers operator §Trying out an integration: listen
func TestTryingOutAnIntegration(t *testing.T) {
	t.Parallel()
	i := install(t, quickBlocks)
	local := newIntegrator(t)
	local.secret = i.file().WebhookSecret
	printed := listening(t, i.settings, i.dir, "--forward-to", local.url, "--print")
	i.lookingFirst() // before the chain is reorganised: this takes back credits for a while
	var done integratorcmd.Triggered
	for name, want := range map[string]struct{ event, status, paid string }{
		"payment_confirmed": {client.PaymentConfirmed, "completed", "exact"},
		"payment_failed":    {client.PaymentFailed, "failed", ""},
		"payment_reversed":  {client.PaymentReversed, "reversed", ""},
		"payment_updated":   {client.PaymentUpdated, "pending", "partial"},
		"underpaid":         {client.PaymentFailed, "failed", "partial"},
		"overpaid":          {client.PaymentConfirmed, "completed", "overpaid"},
		"late":              {client.PaymentConfirmed, "completed", "exact"},
	} {
		require.NoError(t, json.Unmarshal([]byte(i.command("trigger", name, "--webhook-url", i.receiver.url)), &done))
		require.Equal(t, want.event, string(done.Event), name)
		payin := i.payin(done.ReferenceID)
		require.Equal(t, done.InternalReference, payin.InternalReference)
		require.Equal(t, want.status, payin.Status, name)
		if want.paid != "" {
			require.NotNil(t, payin.PaymentStatus, name)
			require.Equal(t, want.paid, *payin.PaymentStatus, name)
		}
		testkit.Eventually(t, time.Minute, func() bool {
			here, there := local.deliveries(done.InternalReference, want.event), i.receiver.deliveries(done.InternalReference, want.event)
			if want.event == client.PaymentUpdated { // finality is told by another
				return here > 0 && there > 0
			}
			return here == 1 && there == 1
		}, name+" is forwarded, and delivered")
		testkit.Eventually(t, time.Minute, func() bool {
			return strings.Contains(printed.String(), done.ReferenceID+"  "+done.Delivery.String()+"  → 200 in ")
		}, name+" is printed")
	}
	require.Zero(t, local.forged)
	i.sendsAgain(done.ReferenceID)
	i.documents()
	for _, line := range strings.Split(strings.TrimSpace(printed.String()), "\n") {
		if strings.HasPrefix(line, "{") {
			require.True(t, json.Valid([]byte(line)), line)
		}
	}
	i.command("reconcile")
}

// A secret rotated while causeway listen runs signs every webhook forwarded from then on.
//
// Covers operator §Trying out an integration: listen
func TestListenSignsWithTheSecretsThatHold(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var merchant, rotated struct {
		ID     uuid.UUID `json:"id"`
		Secret string    `json:"webhook_secret"`
	}
	s.Do(&merchant, "admin", "merchant", "create", "--name", "Shop")
	local := newIntegrator(t)
	listening(t, nil, s.Dir, "--merchant", merchant.ID.String(), "--forward-to", local.url)
	forwarded := func(secret string) {
		t.Helper()
		local.mu.Lock()
		local.secret = secret
		local.mu.Unlock()
		d := pay.Delivery{ID: uuid.Must(uuid.NewV7()), MerchantID: merchant.ID, Subject: uuid.New(), Event: pay.PaymentDetected,
			URL: "https://a.test/"}
		d.Body = []byte(`{"event":"payment_detected","data":{"internal_reference":"` + d.ID.String() + `"}}`)
		must(t, store.New(s.DB).AddDeliveries(t.Context(), []pay.Delivery{d}))
		testkit.Eventually(t, time.Minute, func() bool { return local.deliveries(d.ID.String(), "payment_detected") == 1 }, "it is forwarded")
		local.mu.Lock()
		defer local.mu.Unlock()
		if local.forged != 0 {
			t.Error("it was signed with another secret")
		}
	}
	forwarded(merchant.Secret)
	s.Do(&rotated, "admin", "merchant", "rotate-webhook-secret", merchant.ID.String())
	s.Do(&merchant, "admin", "merchant", "rotate-webhook-secret", merchant.ID.String(), "--finish")
	forwarded(rotated.Secret)
}

// Covers operator §Trying out an integration: causeway webhook test
// Covers operator §Trying out an integration: webhook test
func TestWebhookTest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var merchant struct {
		ID     string `json:"id"`
		Secret string `json:"webhook_secret"`
	}
	s.Do(&merchant, "admin", "merchant", "create", "--name", "Shop")
	receiver := newIntegrator(t)
	receiver.secret = merchant.Secret
	var sent integratorcmd.TestedWebhook
	s.Do(&sent, "webhook", "test", "--merchant", merchant.ID, "--url", receiver.url)
	if !sent.Delivered || sent.Status != 200 || sent.Error != "" || receiver.deliveries(sent.Delivery, "test") != 1 || receiver.forged != 0 {
		t.Errorf("sent %+v, received %v", sent, receiver.events)
	}

	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer refuses.Close()
	for address, want := range map[string]integratorcmd.TestedWebhook{
		refuses.URL:             {Status: http.StatusTeapot, Error: "HTTP status 418"},
		"https://10.0.0.1/hook": {Error: "address is not public"},
		"http://example.com/":   {Error: "must use https"},
	} {
		code, stdout, stderr := call(t, "webhook", "test", "--merchant", merchant.ID, "--url", address, "--data-dir", s.Dir)
		var got integratorcmd.TestedWebhook
		must(t, json.Unmarshal([]byte(stdout), &got))
		if code != command.ExitFailed || got.Delivered || got.Status != want.Status || got.Error != want.Error ||
			!strings.Contains(stderr, want.Error) {
			t.Errorf("%s: exit code %d, %+v, %q", address, code, got, stderr)
		}
	}
	var recorded int
	must(t, s.DB.NewRaw("select count(*) from deliveries").Scan(t.Context(), &recorded))
	if recorded != 0 {
		t.Errorf("%d deliveries were recorded", recorded)
	}
}

func TestTryingOutRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const nobody = "0199d0a0-0000-7000-8000-00000000dead"
	s.Refused(command.ExitUsage, "no event \"rain\"", "trigger", "rain")
	s.Refused(command.ExitUsage, "EVENT is missing", "trigger")
	s.Refused(command.ExitUsage, "not an address", "trigger", "late", "--webhook-url", "nowhere")
	s.Refused(command.ExitUsage, "not an address", "webhook", "test", "--merchant", nobody, "--url", "nowhere")
	s.Refused(command.ExitUsage, "url", "webhook", "test", "--merchant", nobody)
	s.Refused(command.ExitFailed, "no merchant "+nobody, "webhook", "test", "--merchant", nobody, "--url", "https://example.com")
	s.Refused(command.ExitFailed, "no merchant nonsense", "webhook", "test", "--merchant", "nonsense", "--url", "https://example.com")
	s.Refused(command.ExitUsage, "--forward-to, --print", "listen", "--merchant", nobody)
	s.Refused(command.ExitUsage, "not an address", "listen", "--merchant", nobody, "--forward-to", "nowhere")
	s.Refused(command.ExitFailed, "no merchant "+nobody, "listen", "--merchant", nobody, "--print")
}

// documents looks at the documentation served by the API's port, in the installation's own names.
func (i *installation) documents() {
	i.t.Helper()
	for path, says := range map[string]string{"/docs": "First payin", "/docs/first-payin": "http://" + i.listen,
		"/docs/first-payout": "dry_run=1", "/docs/reference": "createPayin", "/": "First payin", "/llms-full.txt": "### POST /v1/payin",
		"/docs/errors": "duplicate_reference_id", "/llms.txt": "http://" + i.listen + "/docs/webhooks", "/postman.json": "http://" + i.listen} {
		response, err := http.Get("http://" + i.listen + path)
		require.NoError(i.t, err)
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		require.NoError(i.t, err)
		require.Equal(i.t, http.StatusOK, response.StatusCode, path)
		require.Contains(i.t, string(body), says, path)
	}
}

// TestTheDemoIsPlayed: one command shows a payin credited, a payout completed and both webhooks, and goes on.
//
// Covers operator §dev: With --demo
func TestTheDemoIsPlayed(t *testing.T) {
	t.Parallel()
	printed := new(said)
	i := prepare(t, quickBlocks, "WEBHOOK_ALLOWED_HOSTS=shop.example") // beside the inbox
	i.flags, i.printed = []string{"--demo"}, printed
	i.start()
	t.Cleanup(i.stop)
	testkit.Eventually(t, time.Minute, func() bool { return strings.Contains(printed.String(), "payout   is completed") }, "the demo is over")
	steps := []string{"20 USDT on Tron is asked for", "payment_confirmed has arrived", "payin    is completed", "5 USDT on Tron to",
		"payment_processed has arrived"}
	rest := printed.String()
	for _, step := range steps {
		_, after, found := strings.Cut(rest, step)
		require.True(t, found, "%s, in this order, in:\n%s", step, printed)
		rest = after
	}
	i.awaitReady()
	payouts, err := i.demo().ListPayouts(t.Context(), client.ListFilter{})
	require.NoError(t, err)
	require.Len(t, payouts.Payments, 1)
	require.Equal(t, "completed", payouts.Payments[0].Status)
}
