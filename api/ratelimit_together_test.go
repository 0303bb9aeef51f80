package api

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"causeway/internal/dev/testkit"
)

// scripts counts the scripts sent to Redis.
type scripts struct{ sent atomic.Int32 }

func (s *scripts) DialHook(next redis.DialHook) redis.DialHook { return next }

func (s *scripts) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (s *scripts) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		if command.Name() == "evalsha" {
			s.sent.Add(1)
		}
		return next(ctx, command)
	}
}

// spendings makes requests arriving together.
func spendings(n int) []*spending {
	group := make([]*spending, n)
	for i := range group {
		group[i] = &spending{now: time.Now(), done: make(chan struct{})}
	}
	return group
}

// TestRequestsOfOneQuotaAreSpentTogether: as many as are left are let through, in the order they came, and the others told when
// to come back.
func TestRequestsOfOneQuotaAreSpentTogether(t *testing.T) {
	t.Parallel()
	q := newSharedQuotas(newLink(testkit.Redis(t)))
	var count scripts
	q.redis.client.AddHook(&count)
	quota := Quota{Requests: 10, Window: time.Hour}
	if wait, answered := q.spend("k", quota, time.Now()); wait != 0 || !answered { // Redis has the script now
		t.Fatal(wait, answered)
	}
	for _, c := range []struct{ asked, fit, sent int }{
		{4, 4, 1},
		{7, 5, 1 + 6}, // all of them, then one by one up to the first too many
		{20, 0, 1 + 1},
	} {
		count.sent.Store(0)
		group := spendings(c.asked)
		q.spendAll("k", quota, group)
		for i, s := range group {
			if fits := i < c.fit; !s.answered || (s.wait == 0) != fits || !fits && (s.wait < time.Minute || s.wait > 6*time.Minute) {
				t.Errorf("%d of %d: wait %v, answered %v", i, c.asked, s.wait, s.answered)
			}
		}
		if n := int(count.sent.Load()); n != c.sent {
			t.Errorf("%d requests were %d scripts", c.asked, n)
		}
	}
}

// A crowd gets the whole quota, no more and no less, from two fronts together, and leaves nothing behind.
func TestACrowdGetsItsQuotaExactly(t *testing.T) {
	t.Parallel()
	client := testkit.Redis(t)
	fronts := []*quotas{newQuotas(newLink(client)), newQuotas(newLink(client))}
	quota := Quota{Requests: 77, Window: 24 * time.Hour}
	var through atomic.Int32
	together(200, func(i int) {
		if fronts[i%2].spend("k", quota, time.Now()) == 0 {
			through.Add(1)
		}
	})
	if n := through.Load(); n != 77 {
		t.Errorf("%d got through", n)
	}
	for _, q := range fronts {
		if n := len(q.shared.lanes); n != 0 {
			t.Errorf("%d lanes stay", n)
		}
	}
}

// TestACrowdIsCountedHereWhileRedisIsAway: each of it, and as exactly.
func TestACrowdIsCountedHereWhileRedisIsAway(t *testing.T) {
	t.Parallel()
	q, quota := newQuotas(newLink(nowhere(t))), Quota{Requests: 7, Window: 24 * time.Hour}
	var through atomic.Int32
	together(50, func(int) {
		if q.spend("k", quota, time.Now()) == 0 {
			through.Add(1)
		}
	})
	if n := through.Load(); n != 7 {
		t.Errorf("%d got through", n)
	}
}

// While one request goes to see whether Redis is back, others of its key do not wait for it.
func TestNobodyWaitsForTheProbe(t *testing.T) {
	t.Parallel()
	l := newLink(testkit.Redis(t))
	q, now := newSharedQuotas(l), time.Now()
	l.failed(now)
	later := now.Add(pause)
	probe := l.open(later) // has gone, and is not back
	if _, answered := q.spend("k", Quota{Requests: 1, Window: time.Hour}, later); !probe || answered {
		t.Errorf("probe %v, answered %v", probe, answered)
	}
	l.well()
	if wait, answered := q.spend("k", Quota{Requests: 1, Window: time.Hour}, later); wait != 0 || !answered {
		t.Errorf("Redis is back: wait %v, answered %v", wait, answered)
	}
}
