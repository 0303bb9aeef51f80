package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// slowSource answers when it is let to, and remembers its questions.
type slowSource struct {
	CallerSource
	release chan struct{}
	failure error

	mu    sync.Mutex
	asked [][]store.Ask
}

func (s *slowSource) Callers(_ context.Context, asks []store.Ask) ([]*store.Caller, error) {
	s.mu.Lock()
	s.asked = append(s.asked, asks)
	s.mu.Unlock()
	<-s.release
	found := make([]*store.Caller, len(asks))
	for i, a := range asks {
		if a.KeyID != "unknown" {
			found[i] = &store.Caller{Key: pay.Key{ID: a.KeyID}}
		}
	}
	return found, s.failure
}

func (s *slowSource) calls() [][]store.Ask {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

const callersAtOnce = 1 + callerBeside

// crowdOf has keys looked up while every lane is at work, and returns the error of each.
func crowdOf(t *testing.T, s *slowSource, ids ...string) []error {
	t.Helper()
	c := NewCallers(s)
	var all sync.WaitGroup
	told := make([]error, len(ids))
	look := func(i int, id string) {
		caller, err := c.Caller(t.Context(), id, "")
		if told[i] = err; err == nil && caller.Key.ID != id {
			told[i] = fmt.Errorf("%s was answered to %s", caller.Key.ID, id)
		}
	}
	for i := range callersAtOnce {
		all.Go(func() { _, _ = c.Caller(t.Context(), fmt.Sprintf("early-%d", i), "") })
		testkit.Eventually(t, time.Minute, func() bool { return len(s.calls()) == i+1 }, "every lane to be at work")
	}
	for i, id := range ids {
		all.Go(func() { look(i, id) })
	}
	testkit.Eventually(t, time.Minute, func() bool { n, _ := c.lanes.Waiting(); return n == len(ids) }, "the others to wait")
	close(s.release)
	all.Wait()
	return told
}

func TestKeysThatWaitAreLookedUpTogether(t *testing.T) {
	t.Parallel()
	s := &slowSource{release: make(chan struct{})}
	told := crowdOf(t, s, "a", "b", "a", "unknown", "c", "a")
	for i, err := range told {
		if unknown := i == 3; unknown != errors.Is(err, pay.ErrNotFound) || !unknown && err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	calls := s.calls()
	if len(calls) != callersAtOnce+1 || len(calls[callersAtOnce]) != 4 {
		t.Errorf("asked %v", calls)
	}
}

func TestAFailedLookUpIsToldToAll(t *testing.T) {
	t.Parallel()
	failure := errors.New("down")
	for i, err := range crowdOf(t, &slowSource{release: make(chan struct{}), failure: failure}, "a", "b") {
		if !errors.Is(err, failure) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestWhoHangsUpDoesNotWait(t *testing.T) {
	t.Parallel()
	s := &slowSource{release: make(chan struct{})}
	defer close(s.release)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewCallers(s).Caller(ctx, "a", ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// merchantOf makes a merchant without a key.
func merchantOf(t *testing.T, db *bun.DB) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	if _, err := db.ExecContext(t.Context(), "insert into merchants (id, name, webhook_secret) values (?, 'Shop', 'x')", id); err != nil {
		t.Fatal(err)
	}
	return id
}

// steadySource counts the keys read, without the revisions.
type steadySource struct {
	*store.Store
	read int
}

func (s *steadySource) Callers(ctx context.Context, asks []store.Ask) ([]*store.Caller, error) {
	s.read += len(asks)
	return s.Store.Callers(ctx, asks)
}

// TestEveryChangeOfAKeyCountsForTheNextRequest: a cached caller is read again after any change of the rows behind a key,
// and only then.
func TestEveryChangeOfAKeyCountsForTheNextRequest(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	m := merchantOf(t, db)
	const insert = "insert into keys (id, merchant_id, hash) values (?, ?, 'h')"
	must := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	must(insert, "k", m)
	source := &steadySource{Store: store.New(db)}
	callers := NewCallers(source)
	look := func() *store.Caller {
		t.Helper()
		c, err := callers.Caller(t.Context(), "k", "")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := look()
	if look() != first || source.read != 1 {
		t.Fatalf("read %d times", source.read)
	}
	for _, c := range []struct {
		change string
		shows  func(*store.Caller) bool
	}{
		{"update keys set revoked_at = now()", func(c *store.Caller) bool { return c.Key.RevokedAt != nil }},
		{"update keys set scopes = '{}'", func(c *store.Caller) bool { return c.Key.Scopes != nil }},
		{"update merchants set suspended = true", func(c *store.Caller) bool { return c.Merchant.Suspended }},
		{"update merchants set api_access = false", func(c *store.Caller) bool { return !c.Merchant.APIAccess }},
		{"insert into merchant_networks (merchant_id, network, payment_rate) select id, 'Tron', 3 from merchants",
			func(c *store.Caller) bool { return c.Terms("Tron").PaymentRate.IntPart() == 3 }},
		{"update merchant_networks set payment_rate = 4", func(c *store.Caller) bool { return c.Terms("Tron").PaymentRate.IntPart() == 4 }},
		{"delete from merchant_networks", func(c *store.Caller) bool { return c.Overrides == nil }},
	} {
		before := source.read
		must(c.change)
		if first, second := look(), look(); !c.shows(first) || first != second || source.read != before+1 {
			t.Errorf("%s: read %d times more", c.change, source.read-before)
		}
	}
	before, last := source.read, look()
	must("update prices set price = price")
	if again := look(); again.Catalogue <= last.Catalogue || again.Access != last.Access || source.read != before {
		t.Errorf("after a price: %+v, after %+v, %d", again.Revisions, last.Revisions, source.read)
	}
	must("delete from keys")
	if _, err := callers.Caller(t.Context(), "k", ""); !errors.Is(err, pay.ErrNotFound) {
		t.Error(err)
	}
	must(insert, "k", m)
	look()
}

// An answer remembered under an Idempotency-Key is never taken from the cached callers, and never cached.
func TestWhatIsRememberedIsReadEachTime(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	m := merchantOf(t, db)
	for _, query := range []string{"insert into keys (id, merchant_id, hash) values ('k', ?, 'h')",
		"insert into idempotency_keys (merchant_id, key, claimed_at, status, body) values (?, 'done', now(), 200, 'answer')"} {
		if _, err := db.ExecContext(t.Context(), query, m); err != nil {
			t.Fatal(err)
		}
	}
	callers := NewCallers(store.New(db))
	for _, key := range []string{"", "done", "", "new", "done"} {
		c, err := callers.Caller(t.Context(), "k", key)
		if err != nil {
			t.Fatal(err)
		}
		if (c.Remembered != nil) != (key == "done") {
			t.Errorf("under %q: %+v", key, c.Remembered)
		}
	}
}

// TestAChangeHoldsForTheNextRequest: any change of a key that has just paid holds for its next request, even if that
// records nothing.
func TestAChangeHoldsForTheNextRequest(t *testing.T) {
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
		t.Run(c.change, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.fund(s.merchant, "USDT", "1000")
			s.payOut(item("before")).is(t, 200, "")
			s.exec(c.change)
			for _, body := range []string{item("r"), batchOf(item("r-1"), item("r-2")), item("r", "network", `"no"`), "{"} {
				for _, target := range []string{"/v1/payout", "/v1/payout?dry_run=1"} {
					s.ask(http.MethodPost, target, body).is(t, c.status, c.code)
				}
			}
			if n := s.count("select count(*) from payouts"); n != 1 {
				t.Errorf("%d payouts", n)
			}
		})
	}
}

// TestAPayoutIsCheckedByThePricesAndTheQuotaOfNow: both are those of the moment when its request came.
func TestAPayoutIsCheckedByThePricesAndTheQuotaOfNow(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	pay := func(reference string) answer {
		return s.ask(http.MethodPost, "/v1/payout", item(reference, "crypto_amount", `"100"`))
	}
	pay("q-0").is(t, 200, "")
	s.exec("update keys set rate_limit = 2, rate_window = 86400")
	pay("q-1").is(t, 200, "")
	s.exec("update prices set price = 2 where base = 'USDT' and quote = 'USD'")
	a := pay("q-2")
	a.is(t, 200, "")
	if got := decodeReply(t, a.text).at("results.0.fiat_amount"); got != "200.00000000" {
		t.Errorf("it was worth %v", got)
	}
	pay("q-3").is(t, 429, "rate_limit_exceeded")
	s.exec("update keys set rate_limit = 3")
	if a := pay("q-4"); a.status != 200 || a.header.Get("Retry-After") != "" {
		t.Errorf("%d, Retry-After %q", a.status, a.header.Get("Retry-After"))
	}
}
