package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// keptShop makes a shop whose key was used before, so that it is taken on trust, and counts how often it is asked for from here on.
func keptShop(t *testing.T) (*shop, *counted) {
	t.Helper()
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	keys := &counted{Keys: s.deps.Keys}
	s.deps.Keys = keys
	s.front = New(s.deps)
	for i := range 2 { // the first may have come before the catalogue that the second uses
		if a := s.payOut(item(fmt.Sprintf("kept-%d", i))); a.status != http.StatusOK {
			t.Fatal(a.text)
		}
	}
	keys.asked.Store(0)
	return s, keys
}

// TestWhoIsTrustedIsAskedForOnlyWhenNothingIsRecorded: recording confirms who pays, a look who is answered without it.
func TestWhoIsTrustedIsAskedForOnlyWhenNothingIsRecorded(t *testing.T) {
	t.Parallel()
	s, keys := keptShop(t)
	for _, c := range []struct {
		what, body, target string
		headers            []string
		status, asked      int
	}{
		{"a payout", item("a"), "/v1/payout", nil, 200, 0},
		{"a batch", batchOf(item("b-1"), item("b-2", "network", `"no"`)), "/v1/payout", nil, 207, 0},
		{"a duplicate", item("a"), "/v1/payout", nil, 400, 0},
		{"too little money", item("c", "crypto_amount", `"5000"`), "/v1/payout", nil, 400, 0},
		{"nothing to record", item("d", "network", `"no"`), "/v1/payout", nil, 400, 1},
		{"a field that is wrong", item("e", "process_by", `"no"`), "/v1/payout", nil, 400, 1},
		{"no JSON", "{", "/v1/payout", nil, 400, 1},
		{"a dry run", item("f"), "/v1/payout?dry_run=1", nil, 200, 1},
		{"under a key", item("g"), "/v1/payout", []string{keyHeader, "key"}, 200, 1},
	} {
		keys.asked.Store(0)
		a := s.ask(http.MethodPost, c.target, c.body, c.headers...)
		if n := int(keys.asked.Load()); a.status != c.status || n != c.asked {
			t.Errorf("%s: %d after %d looks, want %d after %d: %s", c.what, a.status, n, c.status, c.asked, a.text)
		}
	}
}

// TestTrustEndsWithTheNextRequest: whatever is changed holds for the next request, also for one that records nothing; it begins
// again, and nothing of its first beginning is left.
func TestTrustEndsWithTheNextRequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change string
		status int
		code   string
	}{
		{"update keys set revoked_at = now()", 401, "api_key_invalid"},
		{"update keys set expires_at = now() - interval '1 day'", 401, "api_key_invalid"},
		{"delete from keys", 401, "api_key_invalid"},
		{"update merchants set suspended = true", 401, "api_key_invalid"},
		{"update merchants set api_access = false", 403, "api_access_denied"},
		{"update keys set ips = '{192.0.2.1}'", 403, "ip_not_authorized"},
		{"update keys set scopes = '{}'", 403, "scope_denied"},
	} {
		for what, send := range map[string]func(*shop) answer{
			"payout":  func(s *shop) answer { return s.ask(http.MethodPost, "/v1/payout", item("r")) },
			"batch":   func(s *shop) answer { return s.ask(http.MethodPost, "/v1/payout", batchOf(item("r-1"), item("r-2"))) },
			"refused": func(s *shop) answer { return s.ask(http.MethodPost, "/v1/payout", item("r", "network", `"no"`)) },
			"broken":  func(s *shop) answer { return s.ask(http.MethodPost, "/v1/payout", "{") },
			"dry run": func(s *shop) answer { return s.ask(http.MethodPost, "/v1/payout?dry_run=1", item("r")) },
		} {
			t.Run(c.change+", "+what, func(t *testing.T) {
				t.Parallel()
				s, _ := keptShop(t)
				s.exec(c.change)
				send(s).is(t, c.status, c.code)
				if n := s.count("select count(*) from payouts"); n != 2 {
					t.Errorf("%d payouts", n)
				}
			})
		}
	}
}

// TestARevocationStopsWhatWaits: payouts that wait for their balance while their key is revoked are not recorded.
func TestARevocationStopsWhatWaits(t *testing.T) {
	t.Parallel()
	s, _ := keptShop(t)
	tx, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), `select from balances where merchant_id = ? for update`, s.merchant); err != nil {
		t.Fatal(err)
	}
	const clients = 5
	answers := make(chan answer, clients)
	for i := range clients {
		go func() { answers <- s.ask(http.MethodPost, "/v1/payout", item(fmt.Sprintf("w-%d", i))) }()
	}
	testkit.Eventually(t, time.Minute, func() bool {
		return s.count(`select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`) > 0
	}, "the record to wait for the balance")
	s.exec("update keys set revoked_at = now()")
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	for range clients {
		a := <-answers
		a.is(t, 401, "api_key_invalid")
	}
	if n := s.count("select count(*) from payouts"); n != 2 {
		t.Errorf("%d payouts", n)
	}
}

// A request that begins again is checked by the prices and the quota of now, and is one request of it.
func TestWhatBeginsAgainIsCheckedByWhatIsSoNow(t *testing.T) {
	t.Parallel()
	s, _ := keptShop(t)
	s.exec("update keys set rate_limit = 3, rate_window = 86400")
	pay := func(reference string) answer {
		return s.ask(http.MethodPost, "/v1/payout", item(reference, "crypto_amount", `"100"`))
	}
	pay("q-1").is(t, 200, "") // with the quota that the key had no longer, and then with that of now
	s.exec("update prices set price = 2 where base = 'USDT' and quote = 'USD'")
	a := pay("q-2")
	a.is(t, 200, "")
	if got := decodeReply(t, a.text).at("results.0.fiat_amount"); got != "200.00000000" {
		t.Errorf("it was worth %v", got)
	}
	pay("q-3").is(t, 200, "")
	pay("q-4").is(t, 429, "rate_limit_exceeded")
	s.exec("update keys set rate_limit = 4")
	if a := pay("q-5"); a.status != 200 || a.header.Get("Retry-After") != "" {
		t.Errorf("%d, Retry-After %q", a.status, a.header.Get("Retry-After"))
	}
}

// TestWhatWasRecordedInTimeStays: of a group whose answer was lost, a request that was recorded in time stays, and all of it is decided,
// whatever has changed since. One of which nothing was recorded is not recorded on trust, although there is money for it now.
func TestWhatWasRecordedInTimeStays(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.fund(s.merchant, "USDT", "3")
	seen, err := s.store.Revisions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	recorder := s.operations.Payouts.Recorder
	submit := func(items ...store.PayoutItem) *submission {
		return &submission{items: items, seen: seen, done: make(chan struct{})}
	}
	whole := submit(append(s.items(t, "t-0"), s.items(t, "t-1")...)...)
	none := submit(s.items(t, "t-2")...)
	first, err := s.store.RecordConfirmed(t.Context(), whole.items, seen)
	if err != nil || first[1].Outcome != outcomeCreated {
		t.Fatal(first, err)
	}
	s.exec("update keys set revoked_at = now()")
	if _, err := recordAgain(t.Context(), s.store, append(whole.items, none.items...), seen); !errors.Is(err, errInDoubt) {
		t.Errorf("the group: %v", err)
	}
	for _, request := range []*submission{whole, none} {
		recorder.writeAlone(request, true)
	}
	if whole.err != nil || len(whole.outcomes) != 2 {
		t.Fatalf("what was in time: %v, %v", whole.outcomes, whole.err)
	}
	for _, o := range whole.outcomes {
		if o.Outcome != outcomeCreated {
			t.Errorf("what was in time is %s", o.Outcome)
		}
	}
	if !errors.Is(none.err, store.ErrUnconfirmed) || errors.Is(none.err, errInDoubt) || none.outcomes != nil {
		t.Errorf("what was not: %v, %v", none.outcomes, none.err)
	}
	if n, left := s.count("select count(*) from payouts"), s.balance("USDT"); n != 2 || left != "1" {
		t.Errorf("%d payouts, %s left", n, left)
	}
}

// A request whose body takes long is looked at when it is recorded, and not before.
func TestARevocationDuringALongBodyStopsThePayout(t *testing.T) {
	t.Parallel()
	s, keys := keptShop(t)
	r := request(http.MethodPost, "/v1/payout", s.key, item("long"))
	r.Body = io.NopCloser(&late{Reader: r.Body, before: func() {
		s.wait(longBody + time.Millisecond)
		s.exec("update keys set revoked_at = now()")
	}})
	ask(t, s.front, r).is(t, 401, "api_key_invalid")
	if n, asked := s.count("select count(*) from payouts"), keys.asked.Load(); n != 2 || asked != 1 {
		t.Errorf("%d payouts after %d looks", n, asked)
	}
}

// A group is of requests that were checked by the same revisions: one that was not would be decided with the others.
func TestAGroupSharesItsRevisions(t *testing.T) {
	t.Parallel()
	now, before := store.Revisions{Catalogue: 2, Access: 3}, store.Revisions{Catalogue: 1, Access: 3}
	var waiting []*submission
	for i, seen := range []store.Revisions{now, before, now, {}} {
		one := &submission{items: (&shop{merchant: uuid.New()}).items(t, fmt.Sprintf("g-%d", i)), seen: seen}
		waiting = append(waiting, one)
	}
	group, later := distinct(waiting)
	if len(group) != 2 || group[1] != waiting[2] || len(later) != 2 || later[0] != waiting[1] || later[1] != waiting[3] {
		t.Errorf("%d go, %d wait", len(group), len(later))
	}
}

// TestTrustIsNoWayAroundASignature: a key that signs since, used without a signature and with a body so slow that others have the front
// see the change meanwhile, is asked for one. With it, the request is read and signed once, whatever it began with.
func TestTrustIsNoWayAroundASignature(t *testing.T) {
	t.Parallel()
	s, _ := keptShop(t)
	_, other := s.newKey()
	id, _ := s.deps.Vault.ParseAPIKey(s.key)
	signing := func() {
		s.exec("update keys set signs = true, signing_secret = ? where id = ?",
			s.deps.Vault.Seal([]byte(signingSecret), vault.SigningSecretPlace(id)), id)
	}
	r := request(http.MethodPost, "/v1/payout", s.key, item("slow"))
	r.Body = io.NopCloser(&late{Reader: r.Body, before: func() {
		signing()
		s.wait(longBody + time.Millisecond)
		ask(t, s.front, request(http.MethodGet, "/v1/balances", other, "")).is(t, 200, "")
	}})
	ask(t, s.front, r).is(t, 401, "signature_headers_missing")

	s.exec("update keys set signs = false")
	s.payOut(item("plain"))
	signing()
	body := item("signed")
	ask(t, s.front, signedAt(s.clock(), request(http.MethodPost, "/v1/payout", s.key, body), nonces(), body)).is(t, 200, "")
	if n := s.count("select count(*) from payouts where reference_id in ('slow', 'signed')"); n != 1 {
		t.Errorf("%d payouts", n)
	}
}

// TestTrustDoesNotOutwaitTheDatabase: who cannot be confirmed, because PostgreSQL is away, is refused at once, as who is asked for is.
// Nothing was recorded, so the answer has no results.
func TestTrustDoesNotOutwaitTheDatabase(t *testing.T) {
	t.Parallel()
	s, _ := keptShop(t)
	away, err := store.Open("postgres://nobody@127.0.0.1:1/nothing?sslmode=disable", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = away.Close() })
	*s.store = *store.New(away)
	a := s.ask(http.MethodPost, "/v1/payout", item("away"))
	if a.is(t, 500, "internal_error"); decodeReply(t, a.text).at("results") != nil {
		t.Error(a.text)
	}
}
