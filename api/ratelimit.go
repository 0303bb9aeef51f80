package api

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"causeway/internal/pay"
)

// Quota is how many requests a key may make in a window (operator §Settings RATE_LIMIT). No limit when Requests is 0.
type Quota struct {
	Requests int
	Window   time.Duration
}

// quotas spends requests by GCRA: in Redis for all processes together, in this process while Redis is away.
type quotas struct {
	shared *sharedQuotas // nil without Redis
	local  *localQuotas
}

func newQuotas(l *link) *quotas {
	q := &quotas{local: &localQuotas{full: map[string]time.Time{}}}
	if l.client != nil {
		q.shared = newSharedQuotas(l)
	}
	return q
}

// spend takes one request of a key's quota. wait is 0 when there was one, else when to come back.
func (q *quotas) spend(keyID string, quota Quota, now time.Time) (wait time.Duration) {
	if quota.Requests <= 0 || quota.Window <= 0 {
		return 0
	}
	// A key with a changed quota starts afresh: the kept state means something only together with the quota.
	name := fmt.Sprintf("key:%s:%d/%d", keyID, quota.Requests, int64(quota.Window/time.Second))
	if q.shared != nil {
		if wait, answered := q.shared.spend(name, quota, now); answered {
			return wait
		}
	}
	return q.local.spend(name, quota, now)
}

// localQuotas is GCRA over the time when a quota will be whole again, by the name it is spent under.
type localQuotas struct {
	mu   sync.Mutex
	full map[string]time.Time
}

const manyQuotas = 10_000

func (q *localQuotas) spend(name string, quota Quota, now time.Time) (wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	whole := q.full[name]
	if whole.Before(now) {
		whole = now
	}
	whole = whole.Add(quota.Window / time.Duration(quota.Requests))
	if wait = whole.Sub(now) - quota.Window; wait > 0 {
		return wait
	}
	if len(q.full) >= manyQuotas {
		forget(q.full, func(whole time.Time) bool { return whole.Before(now) })
	}
	q.full[name] = whole
	return 0
}

// forget drops the expired entries, and everything when this does not help: memory is bounded first.
func forget[V any](entries map[string]V, over func(V) bool) {
	before := len(entries)
	for name, entry := range entries {
		if over(entry) {
			delete(entries, name)
		}
	}
	if len(entries) > before/2 {
		clear(entries)
	}
}

// errQuota is 429 with the details of addendum §4.8.
func errQuota(quota Quota, wait time.Duration) error {
	seconds := wholeSeconds(wait)
	return pay.E(pay.Limited, "rate_limit_exceeded", "Too many requests with this key.").
		With("limit", quota.Requests).
		With("window_seconds", int(quota.Window/time.Second)).
		With("retry_after_seconds", seconds).
		With("retry_after_formatted", spelled(seconds))
}

// wholeSeconds rounds up, to at least 1, for Retry-After.
func wholeSeconds(wait time.Duration) int {
	return max(1, int((wait+time.Second-1)/time.Second))
}

func spelled(seconds int) string {
	if seconds == 1 {
		return "1 second"
	}
	return strconv.Itoa(seconds) + " seconds"
}
