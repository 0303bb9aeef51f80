package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"causeway/internal/dev/testkit"
	"causeway/internal/proof/contract"
)

// nowhere is a Redis refusing every connection.
func nowhere(t *testing.T) redis.UniversalClient {
	client := redis.NewClient(hurried(&redis.Options{Addr: "127.0.0.1:1"}))
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// hurried gives options one attempt within Patience, as a front's client has.
func hurried(o *redis.Options) *redis.Options {
	o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled = -1, 1, true
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = Patience, Patience, Patience, Patience
	return o
}

// everywhere runs a test with Redis, without any, and with an absent one.
func everywhere(t *testing.T, test func(t *testing.T, s *shop)) {
	for name, client := range map[string]func(t *testing.T) redis.UniversalClient{
		"Redis":      func(t *testing.T) redis.UniversalClient { return testkit.Redis(t) },
		"no Redis":   func(*testing.T) redis.UniversalClient { return nil },
		"Redis away": nowhere,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, echoing)
			s.deps.Redis = client(t)
			test(t, s)
		})
	}
}

func TestQuota(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Authentication and access: rate_limit_exceeded", "addendum §4: 8", "addendum §4: A key may make 1000",
		"addendum §4: Both are settings", "operator §Settings: RATE_LIMIT", "api-v1 §Limits: The request quota")
	everywhere(t, func(t *testing.T, s *shop) {
		front := s.open()
		_, key := s.newKey("rate_limit = 3, rate_window = 72")
		_, other := s.newKey()
		for range 3 {
			ask(t, front, request("GET", "/v1/balances", key, "")).is(t, 200, "")
		}
		a := ask(t, front, request("GET", "/v1/balances", key, ""))
		a.is(t, 429, "rate_limit_exceeded")
		seconds := int(a.body.Error.Details["retry_after_seconds"].(float64))
		if seconds < 20 || seconds > 24 || a.header.Get("Retry-After") != strconv.Itoa(seconds) {
			t.Errorf("retry after %d, header %q", seconds, a.header.Get("Retry-After"))
		}
		details, _ := json.Marshal(a.body.Error.Details)
		want := fmt.Sprintf(`{"limit":3,"retry_after_formatted":"%d seconds","retry_after_seconds":%d,"window_seconds":72}`, seconds, seconds)
		if string(details) != want {
			t.Errorf("details %s", details)
		}
		ask(t, front, request("GET", "/v1/balances", other, "")).is(t, 200, "")
	})
}

func TestLocalQuotaComesBackByTime(t *testing.T) {
	t.Parallel()
	q, now := newQuotas(newLink(nil)), time.Now()
	quota := Quota{Requests: 2, Window: 10 * time.Second}
	spend := func() time.Duration { return q.spend("k", quota, now) }
	for range 2 {
		if spend() != 0 {
			t.Fatal("refused within the quota")
		}
	}
	if wait := spend(); wait != 5*time.Second {
		t.Errorf("wait %v", wait)
	}
	now = now.Add(5 * time.Second)
	if spend() != 0 || spend() == 0 {
		t.Error("one request was due, no more")
	}
	now = now.Add(time.Hour)
	for range 2 {
		if spend() != 0 {
			t.Error("the quota has not come back")
		}
	}
	if spend() == 0 {
		t.Error("the quota is more than it was")
	}
	if q.spend("k", Quota{}, now) != 0 {
		t.Error("no quota refuses")
	}
}

func TestLocalMemoryIsBounded(t *testing.T) {
	t.Parallel()
	now, quotas := time.Now(), newQuotas(newLink(nil))
	for i := range 3 * manyQuotas {
		quotas.spend(strconv.Itoa(i), Quota{1, time.Second}, now)
	}
	fails := newFailures(FailureRule{10, time.Minute, time.Minute}, newLink(nil))
	for i := range 3 * manyOrigins {
		fails.missed(t.Context(), strconv.Itoa(i), now)
	}
	if len(quotas.local.full) > manyQuotas || len(fails.local.origins) > manyOrigins {
		t.Errorf("%d quotas, %d origins", len(quotas.local.full), len(fails.local.origins))
	}
}

func TestFailedAuthenticationsBlock(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Authentication and access: too_many_failed_authentications", "addendum §4: 2", "addendum §4: Ten of them",
		"api-v1 §Authentication: 6", "operator §Settings: AUTH_FAILURES")
	everywhere(t, func(t *testing.T, s *shop) {
		front := s.open()
		_, key := s.newKey()
		for range 10 {
			ask(t, front, request("GET", "/v1/balances", "", "")).is(t, 401, "api_key_missing")
		}
		a := ask(t, front, request("GET", "/v1/balances", key, ""))
		a.is(t, 429, "too_many_failed_authentications")
		if a.header.Get("Retry-After") != "900" || a.body.Error.Details != nil {
			t.Errorf("Retry-After %q, %s", a.header.Get("Retry-After"), a.text)
		}
		ask(t, front, request("GET", "/v1/nowhere", key, "")).is(t, 404, "route_not_found")
		elsewhere := request("GET", "/v1/balances", key, "")
		elsewhere.RemoteAddr = "203.0.113.8:5000"
		ask(t, front, elsewhere).is(t, 200, "")
		s.wait(899 * time.Second)
		if a := ask(t, front, request("GET", "/v1/balances", key, "")); a.header.Get("Retry-After") != "1" {
			t.Errorf("after 899 s: %d %s", a.status, a.header.Get("Retry-After"))
		}
		s.wait(time.Second)
		ask(t, front, request("GET", "/v1/balances", key, "")).is(t, 200, "")
	})
}

// A block begun by another process is known here once the earlier knowledge is old.
func TestABlockOfAnotherProcessIsKnownSoon(t *testing.T) {
	t.Parallel()
	s := newShop(t, echoing)
	s.deps.Redis = testkit.Redis(t)
	here, another := s.open(), s.open()
	_, key := s.newKey()
	ask(t, here, request("GET", "/v1/balances", key, "")).is(t, 200, "")
	for range 10 {
		ask(t, another, request("GET", "/v1/balances", "", "")).is(t, 401, "api_key_missing")
	}
	ask(t, another, request("GET", "/v1/balances", key, "")).is(t, 429, "too_many_failed_authentications")
	s.wait(unblockedFor)
	ask(t, here, request("GET", "/v1/balances", key, "")).is(t, 429, "too_many_failed_authentications")
}

func TestOldFailuresDoNotCount(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, s *shop) {
		front := s.open()
		_, key := s.newKey()
		for range 25 { // never 10 within 300 s
			ask(t, front, request("GET", "/v1/balances", "", "")).is(t, 401, "api_key_missing")
			s.wait(34 * time.Second)
		}
		ask(t, front, request("GET", "/v1/balances", key, "")).is(t, 200, "")
	})
}

func TestWhatCountsAsFailed(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §4: Each 401")
	s := newShop(t, echoing)
	s.deps.Failures.Failures = 2
	front := s.open()
	_, key := s.newKey("scopes = '{}'")
	for range 3 {
		ask(t, front, request("GET", "/v1/balances", key, "")).is(t, 403, "scope_denied")
	}
	s.exec(`update keys set signs = true`)
	ask(t, front, request("GET", "/v1/balances", key, "")).is(t, 401, "signature_headers_missing")
	s.exec(`update merchants set suspended = true`)
	ask(t, front, request("GET", "/v1/balances", key, "")).is(t, 401, "api_key_invalid")
	ask(t, front, request("GET", "/v1/balances", key, "")).is(t, 429, "too_many_failed_authentications")
}

func TestABlockHoldsInEveryProcessAndForTheHousehold(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §4: Ten of them")
	s := newShop(t, echoing)
	one, two := s.open(), s.open()
	at := func(ip string) *http.Request {
		r := request("GET", "/v1/balances", "", "")
		r.RemoteAddr = "[" + ip + "]:1"
		return r
	}
	for i := range 10 {
		ask(t, one, at("2001:db8::"+strconv.Itoa(i))).is(t, 401, "api_key_missing")
	}
	ask(t, two, at("2001:db8::ffff")).is(t, 429, "too_many_failed_authentications")
	ask(t, two, at("2001:db8:0:1::1")).is(t, 401, "api_key_missing")
}

func TestRedisAwayCostsOnlyTheProbe(t *testing.T) {
	t.Parallel()
	server := testkit.PrivateRedis(t)
	options, err := redis.ParseURL(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	var dials atomic.Int32
	options = hurried(options)
	options.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		dials.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	l, now := newLink(client), time.Now()
	l.patience = time.Minute // this machine may be busy
	ping := func() bool {
		return l.try(t.Context(), now, func(ctx context.Context) error { return l.client.Ping(ctx).Err() })
	}
	if !ping() {
		t.Fatal("Redis is there, but was not asked")
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if ping() {
		t.Error("a stopped Redis answered")
	}
	probe := dials.Load()
	for range 1000 {
		ping()
	}
	if n := dials.Load() - probe; n != 0 {
		t.Errorf("1000 requests without Redis asked for it %d times", n)
	}
}
