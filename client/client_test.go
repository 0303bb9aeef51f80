package client_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/client"
)

// reply is one answer of a scripted API.
type reply struct {
	status int
	body   string
	header map[string]string
}

const (
	fine    = `{"message":"payment_processing_completed","summary":{"total_requested":1,"successful":1,"failed":0},"results":[{"index":0,"reference_id":"r-1","status":"created"}]}`
	refused = `{"message":"payment_processing_completed","summary":{"total_requested":1,"successful":0,"failed":1},"results":[{"index":0,"reference_id":"r-1","error":{"code":"duplicate_payment_reference","message":"m"},"duplicate":true,"internal_reference":"i-1","original_status":"completed"}]}`
	dry     = `{"message":"payment_processing_completed","dry_run":true,"summary":{"total_requested":1,"successful":1,"failed":0},"results":[{"index":0,"internal_reference":null,"status":"created"}]}`
	halfWay = `{"error":{"code":"internal_error","message":"m"},"summary":{"total_requested":2,"successful":1,"failed":0,"not_processed":1},"results":[{"index":0,"status":"created"}]}`
	unsure  = `{"error":{"code":"internal_error","message":"m"},"summary":{"total_requested":1,"successful":0,"failed":1,"not_processed":0},"results":[{"index":0,"error":{"code":"internal_error","message":"m"}}]}`
	running = `{"error":{"code":"idempotency_key_in_progress","message":"m"}}`
	down    = `{"error":{"code":"service_unavailable","message":"m"}}`
	broken  = `{"error":{"code":"internal_error","message":"m"}}`
)

// script is an API answering in order, and keeps the requests.
type script struct {
	mu      sync.Mutex
	replies []reply
	asked   []*http.Request
	bodies  []string
	pauses  []time.Duration
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.bodies = append(s.asked, r), append(s.bodies, string(body))
	next := s.replies[min(len(s.asked), len(s.replies))-1]
	for name, value := range next.header {
		w.Header().Set(name, value)
	}
	if next.status == 0 {
		panic(http.ErrAbortHandler) // the answer is lost
	}
	w.WriteHeader(next.status)
	_, _ = io.WriteString(w, next.body)
}

// requests are those that were asked, in order.
func (s *script) requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// sent are their bodies.
func (s *script) sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies
}

func play(t *testing.T, change func(*client.Config), replies ...reply) (*script, *client.Client) {
	t.Helper()
	s := &script{replies: replies}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	config := client.Config{BaseURL: server.URL + "/", Key: "cw_live_x", Wait: func(_ context.Context, pause time.Duration) error {
		s.pauses = append(s.pauses, pause)
		return nil
	}}
	if change != nil {
		change(&config)
	}
	c, err := client.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// The answer to another body under the same key is no success: nothing of the present request was done.
func TestAnAnswerToAnotherBodyIsAnError(t *testing.T) {
	t.Parallel()
	marked := map[string]string{"Idempotency-Replayed": "true", "Idempotency-Body-Differs": "true"}
	_, api := play(t, nil, reply{200, fine, marked}, reply{200, fine, marked}, reply{200, fine, map[string]string{"Idempotency-Replayed": "true"}})
	one, err := api.CreatePayout(t.Context(), "k", client.Payout{ReferenceID: "r-1"})
	if !errors.Is(err, client.ErrOtherBody) || one == nil || one.Status != "created" {
		t.Errorf("%+v %v", one, err)
	}
	all, err := api.CreatePayouts(t.Context(), "k", []client.Payout{{ReferenceID: "r-1"}})
	if !errors.Is(err, client.ErrOtherBody) || len(all.Results) != 1 {
		t.Errorf("%+v %v", all, err)
	}
	if _, err := api.CreatePayout(t.Context(), "k", client.Payout{ReferenceID: "r-1"}); err != nil {
		t.Error(err)
	}
}

// An API paying on a dry run is found out at the first answer.
func TestADryRunThatWasNone(t *testing.T) {
	t.Parallel()
	s, api := play(t, nil, reply{200, dry, nil}, reply{200, fine, nil})
	all, err := api.RehearsePayouts(t.Context(), []client.Payout{{ReferenceID: "r-1"}})
	if err != nil || !all.DryRun || all.Results[0].InternalReference != "" || s.requests()[0].URL.RawQuery != "dry_run=1" ||
		!strings.HasPrefix(s.sent()[0], "[") {
		t.Errorf("%v %+v after %s %s", err, all, s.requests()[0].URL, s.sent()[0])
	}
	if all, err := api.RehearsePayouts(t.Context(), []client.Payout{{}}); err == nil || all.Results[0].Status != "created" {
		t.Errorf("%v %+v", err, all)
	}
}

func TestRetriesBackOffAndKeepRetryAfter(t *testing.T) {
	t.Parallel()
	s, api := play(t, func(c *client.Config) { c.Retries = 5 },
		reply{429, `{"error":{"code":"rate_limit_exceeded"}}`, map[string]string{"Retry-After": "24"}}, reply{500, broken, nil})
	_, err := api.GetBalances(t.Context())
	if !client.Is(err, "internal_error") || len(s.pauses) != 5 || s.pauses[0] != 24*time.Second {
		t.Errorf("%v after %v", err, s.pauses)
	}
	for i, pause := range s.pauses[1:] {
		if most := 400 * time.Millisecond << i; pause < most/2 || pause > most {
			t.Errorf("pause %d is %v", i+1, pause)
		}
	}
	_, never := play(t, func(c *client.Config) { c.Retries = -1 }, reply{500, broken, nil}, reply{200, `{}`, nil})
	if _, err := never.GetBalances(t.Context()); err == nil {
		t.Error("a client that must not retry did")
	}
}

// A pause longer than the caller has time for is the caller's to decide.
func TestALongRetryAfterIsTheCallers(t *testing.T) {
	t.Parallel()
	for asked, c := range map[string]struct {
		longest time.Duration
		waits   bool
	}{
		"60": {0, true}, "61": {0, false}, "86400": {0, false}, "99999999999999999999": {0, false},
		"5": {5 * time.Second, true}, "6": {5 * time.Second, false}, "1": {-1, false},
	} {
		s, api := play(t, func(config *client.Config) { config.LongestWait = c.longest },
			reply{429, `{"error":{"code":"rate_limit_exceeded","message":"m"}}`, map[string]string{"Retry-After": asked}}, reply{200, `{}`, nil})
		_, err := api.GetBalances(t.Context())
		if c.waits {
			if err != nil || len(s.pauses) != 1 {
				t.Errorf("%s s with %v: %v after %v", asked, c.longest, err, s.pauses)
			}
			continue
		}
		var refusal *client.Error
		if !errors.As(err, &refusal) || len(s.requests()) != 1 || len(s.pauses) != 0 || refusal.RetryAfter() <= c.longest {
			t.Errorf("%s s with %v: %v after %v", asked, c.longest, err, s.pauses)
			continue
		}
		if want := ", again in " + refusal.RetryAfter().String() + ")"; !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

// The API takes such a key for none, and a payout repeated under it could be paid twice. The other clients have no keys outside UTF-8.
func TestAKeyThatTheAPIWouldIgnoreIsRefused(t *testing.T) {
	t.Parallel()
	keys := append(shared(t).Keys, sharedKey{"\xe9", 255, true}, sharedKey{strings.Repeat("\xc3\xa9", 127) + "\xe9\xe9", 1, false})
	for _, k := range keys {
		key := strings.Repeat(k.Of, k.Times)
		s, api := play(t, nil, reply{200, fine, nil})
		if _, err := api.CreatePayout(t.Context(), key, client.Payout{}); (err == nil) != k.Fits || (len(s.requests()) == 1) != k.Fits {
			t.Errorf("%q: asked %d times, %v", key, len(s.requests()), err)
		}
	}
}

func TestAttemptsAreSignedAfresh(t *testing.T) {
	t.Parallel()
	now := time.Unix(1760000000, 0)
	s, api := play(t, func(c *client.Config) {
		c.SigningSecret, c.HeaderPrefix, c.Now = "secret", "X-Acme-", func() time.Time { return now }
	}, reply{503, down, nil}, reply{200, `{"deposit":{"created_at":"2026-01-02 03:04:05","updated_at":"2026-01-02 03:04:05","expires_at":"2026-01-02 03:04:05"}}`, nil})
	if _, err := api.CheckPayin(t.Context(), "ref/1"); err != nil {
		t.Fatal(err)
	}
	nonces := map[string]bool{}
	for _, r := range s.requests() {
		h := r.Header
		nonces[h.Get("X-Acme-Nonce")] = true
		want := client.Sign("secret", "GET", "/v1/check-payin/ref%2F1", "", h.Get("X-Acme-Timestamp"), h.Get("X-Acme-Nonce"), nil)
		if r.RequestURI != "/v1/check-payin/ref%2F1" || h.Get("X-Acme-Signature") != want || h.Get("X-Acme-Timestamp") != "1760000000" ||
			h.Get("X-Acme-Invoke") != "cw_live_x" {
			t.Errorf("%s %v", r.RequestURI, h)
		}
	}
	if len(nonces) != 2 {
		t.Errorf("nonces %v", slices.Collect(maps.Keys(nonces)))
	}
}

// The vectors of addendum §1.
//
// Covers addendum §1: POST
// Covers addendum §1: GET
func TestSign(t *testing.T) {
	t.Parallel()
	for _, c := range shared(t).Signing {
		if got := client.Sign(c.Secret, c.Method, c.Path, c.Query, c.Timestamp, c.Nonce, []byte(c.Body)); got != c.Signature {
			t.Errorf("%s %s: %s", c.Method, c.Path, got)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	_, api := play(t, nil, reply{400, `{"error":{"code":"invalid_parameters","message":"Wrong.","details":{"fields":{"memo":"must be digits"}}}}`, map[string]string{"X-Request-Id": "id-1"}})
	_, err := api.CreatePayin(t.Context(), client.Payin{})
	var refusal *client.Error
	if !errors.As(err, &refusal) || refusal.Status != 400 || refusal.Fields()["memo"] != "must be digits" || refusal.RequestID != "id-1" {
		t.Fatalf("%#v", err)
	}
	if text := err.Error(); !strings.Contains(text, "invalid_parameters: Wrong. (HTTP 400, request id-1)") {
		t.Error(text)
	}
	_, api = play(t, nil, reply{400, refused, nil})
	result, err := api.CreatePayout(t.Context(), "", client.Payout{})
	if !client.Is(err, "insufficient_balance", "duplicate_payment_reference") || !result.Duplicate || result.InternalReference != "i-1" {
		t.Errorf("%+v %v", result, err)
	}
	s, api := play(t, nil, reply{500, halfWay, nil}) // asked again, the created ones would come back as duplicates
	results, err := api.CreatePayouts(t.Context(), "k", make([]client.Payout, 2))
	if !client.Is(err, "internal_error") || results == nil || results.Summary.NotProcessed != 1 || len(results.Results) != 1 || len(s.requests()) != 1 {
		t.Errorf("asked %d times: %+v %v", len(s.requests()), results, err)
	}
	s, api = play(t, nil, reply{500, unsure, nil}, reply{200, fine, nil}) // under its key it is safe to ask again
	result, err = api.CreatePayout(t.Context(), "k", client.Payout{})
	if err != nil || result.Status != "created" || len(s.requests()) != 2 {
		t.Errorf("asked %d times: %+v %v", len(s.requests()), result, err)
	}
}

// The key would go along; a client of the program's own goes elsewhere only where the program has decided so.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	follow := func(*http.Request, []*http.Request) error { return nil }
	for _, c := range []struct {
		own  *http.Client
		want int
	}{{nil, 1}, {&http.Client{}, 1}, {&http.Client{CheckRedirect: follow}, 2}} {
		s, api := play(t, func(config *client.Config) { config.HTTP = c.own },
			reply{307, "", map[string]string{"Location": "/elsewhere"}}, reply{400, `{"error":{"code":"invalid_parameters","message":"m"}}`, nil})
		if _, err := api.CreatePayout(t.Context(), "", client.Payout{}); err == nil || len(s.requests()) != c.want {
			t.Errorf("asked %d times, %v", len(s.requests()), err)
		}
		if c.own != nil && c.want == 1 && c.own.CheckRedirect != nil {
			t.Error("the program's client was changed")
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []client.Config{{}, {BaseURL: "nowhere", Key: "k"}, {BaseURL: "https://a.example"},
		{BaseURL: "https://a.example?x=1", Key: "k"}} {
		if _, err := client.New(c); err == nil {
			t.Errorf("%+v makes a client", c)
		}
	}
}

// An answer too long is an error at once, and no part of it is taken for the whole.
func TestALongAnswerIsNotCut(t *testing.T) {
	t.Parallel()
	const limit = 32 << 20
	for size, want := range map[int]error{limit: nil, limit + 1: client.ErrTooLong} {
		s, api := play(t, nil, reply{status: 200, body: strings.Repeat("x", size)})
		table, err := api.StatementsCSV(t.Context(), client.StatementFilter{})
		if !errors.Is(err, want) || (err == nil) != (len(table) == size) || len(s.requests()) != 1 {
			t.Errorf("%d bytes: %d, %v, asked %d times", size, len(table), err, len(s.requests()))
		}
	}
}
