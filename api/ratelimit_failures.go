package api

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"causeway/internal/pay"
)

// FailureRule blocks an origin for Block once Failures authentications failed Within
// (operator §Settings AUTH_FAILURES, addendum §4). Nothing is ever blocked when Failures is 0.
type FailureRule struct {
	Failures int
	Within   time.Duration
	Block    time.Duration
}

// failures counts failed authentications by origin: in Redis for all processes together, in this process while Redis is
// away. Blocks are remembered here too: a blocked origin costs no round trip. An unblocked origin is remembered for
// unblockedFor: a block begun by another process is known here that much later.
type failures struct {
	rule  FailureRule
	redis *link
	local *localFailures
}

func newFailures(rule FailureRule, l *link) *failures {
	return &failures{rule: rule, redis: l, local: &localFailures{rule: rule, origins: map[string]*misses{}}}
}

var errBlocked = pay.E(pay.Limited, "too_many_failed_authentications", "Too many failed authentications from this address.")

// blocked returns for how much longer an origin is blocked; 0 when it is not.
func (f *failures) blocked(ctx context.Context, origin string, now time.Time) time.Duration {
	if f.rule.Failures <= 0 {
		return 0
	}
	if left, known := f.local.blocked(origin, now); known {
		return left
	}
	var until int64
	answered := f.redis.try(ctx, now, func(ctx context.Context) (err error) {
		until, err = f.redis.client.Get(ctx, blockKey(origin)).Int64()
		if errors.Is(err, redis.Nil) {
			return nil
		}
		return err
	})
	if end := time.UnixMilli(until); end.After(now) {
		f.local.block(origin, end, now)
		return end.Sub(now)
	}
	if answered {
		f.local.unblocked(origin, now)
	}
	return 0
}

// missed counts one failed authentication.
func (f *failures) missed(ctx context.Context, origin string, now time.Time) {
	if f.rule.Failures <= 0 {
		return
	}
	var until int64
	answered := f.redis.try(ctx, now, func(ctx context.Context) (err error) {
		keys := []string{"auth:failures:{" + origin + "}", blockKey(origin)}
		until, err = missedScript.Run(ctx, f.redis.client, keys,
			now.UnixMilli(), f.rule.Within.Milliseconds(), f.rule.Failures, f.rule.Block.Milliseconds()).Int64()
		return err
	})
	switch {
	case !answered:
		f.local.missed(origin, now)
	case until > 0:
		f.local.block(origin, time.UnixMilli(until), now)
	}
}

func blockKey(origin string) string { return "auth:block:{" + origin + "}" }

// The newest failures of an origin are kept as times; when the oldest of a full list is recent enough, it is blocked.
var missedScript = redis.NewScript(`
local now, within, limit, block = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('LPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], 0, limit - 1)
redis.call('PEXPIRE', KEYS[1], within)
local oldest = redis.call('LINDEX', KEYS[1], limit - 1)
if not oldest or now - tonumber(oldest) > within then return 0 end
local till = string.format('%d', now + block)
redis.call('SET', KEYS[2], till, 'PX', block)
redis.call('DEL', KEYS[1])
return tonumber(till)`)

// misses are the failures known here of an origin, also of one without any.
type misses struct {
	times       []time.Time // newest last, at most rule.Failures
	until       time.Time   // blocked until
	unblockedAt time.Time   // when Redis had no block of it
}

func (m *misses) over(now time.Time, within time.Duration) bool {
	stale := len(m.times) == 0 || now.Sub(m.times[len(m.times)-1]) > within
	return stale && !m.until.After(now)
}

// localFailures is the same rule in memory, and the answers of Redis on origins, for at most manyOrigins.
type localFailures struct {
	rule    FailureRule
	mu      sync.Mutex
	origins map[string]*misses
}

const (
	manyOrigins  = 50_000
	unblockedFor = 100 * time.Millisecond
)

// blocked returns for how much longer an origin is blocked, and whether this process knows.
func (l *localFailures) blocked(origin string, now time.Time) (left time.Duration, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch m := l.origins[origin]; {
	case m == nil:
		return 0, false
	case m.until.After(now):
		return m.until.Sub(now), true
	default:
		return 0, now.Sub(m.unblockedAt).Abs() < unblockedFor
	}
}

func (l *localFailures) unblocked(origin string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of(origin, now).unblockedAt = now
}

func (l *localFailures) missed(origin string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.of(origin, now)
	m.times = append(m.times, now)
	if len(m.times) > l.rule.Failures {
		m.times = m.times[1:]
	}
	if len(m.times) == l.rule.Failures && now.Sub(m.times[0]) <= l.rule.Within {
		m.times, m.until = nil, now.Add(l.rule.Block)
	}
}

func (l *localFailures) block(origin string, until, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of(origin, now).until = until
}

func (l *localFailures) of(origin string, now time.Time) *misses {
	m := l.origins[origin]
	if m == nil {
		if len(l.origins) >= manyOrigins {
			forget(l.origins, func(m *misses) bool { return m.over(now, l.rule.Within) })
		}
		m = &misses{}
		l.origins[origin] = m
	}
	return m
}
