package scheduler

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/tasks"
)

func TestStandbyIsNeededWhenRedisIsAwayForTooLong(t *testing.T) {
	t.Parallel()
	b := &bell{}
	s := &Standby{Bell: b, Kinds: []tasks.Kind{tasks.DeliverWebhook}}
	start := time.Unix(1_800_000_000, 0)
	for _, c := range []struct {
		after  time.Duration
		away   bool
		needed bool
	}{
		{0, false, false},
		{1 * time.Second, true, false},
		{10 * time.Second, true, false},
		{Patience + time.Second, true, true},
		{time.Hour, true, true},
		{time.Hour + time.Second, false, false},
		{time.Hour + 2*time.Second, true, false}, // away again: patience starts anew
		{time.Hour + 2*time.Second + Patience - 1, true, false},
		{time.Hour + 2*time.Second + Patience, true, true},
	} {
		b.set(c.away)
		require.Equal(t, c.needed, len(s.needed(start.Add(c.after))) > 0, "after %v", c.after)
	}
}

// TestStandbyIsNeededForAQueueThatCannotBeMeasured: for its kinds alone, once the relay has left them due for too long.
func TestStandbyIsNeededForAQueueThatCannotBeMeasured(t *testing.T) {
	t.Parallel()
	b := &bell{}
	s := &Standby{Bell: b, Kinds: []tasks.Kind{tasks.BroadcastPayout, tasks.DeliverWebhook, tasks.CheckWallets}}
	start := time.Unix(1_800_000_000, 0)
	signing := []tasks.Kind{tasks.BroadcastPayout, tasks.CheckWallets}
	for _, c := range []struct {
		after  time.Duration
		lost   tasks.Queue
		needed []tasks.Kind
	}{
		{0, "", nil},
		{1 * time.Second, tasks.Signing, nil},
		{Patience, tasks.Signing, nil},
		{Patience + time.Second, tasks.Signing, signing},
		{time.Hour, tasks.Signing, signing},
		{time.Hour + time.Second, "", nil},
		{time.Hour + 2*time.Second, tasks.Webhooks, nil},
		{time.Hour + 2*time.Second + Patience, tasks.Webhooks, []tasks.Kind{tasks.DeliverWebhook}},
		{2 * time.Hour, tasks.Chain, nil}, // another one since now
		{3 * time.Hour, tasks.Chain, nil}, // its kinds are not served by this process
	} {
		b.lost = c.lost
		require.Equal(t, c.needed, s.needed(start.Add(c.after)), "after %v", c.after)
	}
}

// TestStandbyWorksThroughItsOwnKinds: everything due of its kinds is worked on once, a few at a time, within the kind's time limit;
// other kinds, and jobs not due, are left.
func TestStandbyWorksThroughItsOwnKinds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hooks, others := w.add(tasks.DeliverWebhook, 3*standbyPool+1), w.add(tasks.BroadcastPayout, 3)
	later := w.add(tasks.DeliverWebhook, 1)
	w.exec("update jobs set run_at = now() + interval '1 minute' where ref = ?", later[0])

	var mu sync.Mutex
	var done []uuid.UUID
	var underway, most atomic.Int32
	s := &Standby{Store: w.store, Bell: w.bell, Log: w.log, Kinds: []tasks.Kind{tasks.DeliverWebhook, tasks.FollowNetwork},
		Work: func(ctx context.Context, j tasks.Job) error {
			most.Store(max(most.Load(), underway.Add(1)))
			defer underway.Add(-1)
			if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > tasks.Specs[j.Kind].Timeout {
				return errors.New("no time limit")
			}
			mu.Lock()
			defer mu.Unlock()
			done = append(done, j.Ref)
			return nil
		}}
	pool := make(chan struct{}, standbyPool)
	s.workThrough(t.Context(), pool, s.Kinds)
	drain(pool)
	require.ElementsMatch(t, hooks, done)
	require.LessOrEqual(t, most.Load(), int32(standbyPool))
	require.Zero(t, underway.Load(), "all places are free when all are done")
	require.Equal(t, len(others), w.count("select count(*) from jobs where kind = 'payout.broadcast' and attempt = 0 and run_at <= now()"))
	require.Empty(t, w.bell.heard())
}

// TestStandbyAndRelayShareTheJobs: a worker still taking Redis for away and a relay with Redis back do not take the same attempt.
func TestStandbyAndRelayShareTheJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refs := w.add(tasks.DeliverWebhook, 300)
	var mu sync.Mutex
	var done []uuid.UUID
	s := &Standby{Store: w.store, Bell: w.bell, Log: w.log, Kinds: []tasks.Kind{tasks.DeliverWebhook},
		Work: func(_ context.Context, j tasks.Job) error {
			mu.Lock()
			defer mu.Unlock()
			done = append(done, j.Ref)
			return errors.New("a failure is only logged")
		}}
	var wait sync.WaitGroup
	wait.Go(func() {
		pool := make(chan struct{}, standbyPool)
		s.workThrough(t.Context(), pool, s.Kinds)
		drain(pool)
	})
	r := w.relay()
	for w.ringDue(r) > 0 {
	}
	wait.Wait()
	require.ElementsMatch(t, refs, append(done, refsOf(w.bell.heard())...))
}

// TestStandbyDoesNotWaitForTheSlow: jobs due during a long one are worked on in the places left.
func TestStandbyDoesNotWaitForTheSlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ended, pool := make(chan struct{}), make(chan struct{}, standbyPool)
	var done atomic.Int32
	s := &Standby{Store: w.store, Bell: w.bell, Log: w.log, Kinds: []tasks.Kind{tasks.DeliverWebhook, tasks.FollowNetwork},
		Work: func(_ context.Context, j tasks.Job) error {
			if j.Kind == tasks.FollowNetwork {
				<-ended
			}
			done.Add(1)
			return nil
		}}
	w.add(tasks.FollowNetwork, 2)
	s.workThrough(t.Context(), pool, s.Kinds)
	require.Len(t, pool, 2)
	w.add(tasks.DeliverWebhook, 3*standbyPool)
	s.workThrough(t.Context(), pool, s.Kinds)
	testkit.Eventually(t, time.Minute, func() bool { return len(pool) == 2 }, "the others are done")
	require.Equal(t, int32(3*standbyPool), done.Load())
	close(ended)
	drain(pool)
	require.Equal(t, int32(3*standbyPool+2), done.Load())
}

// TestStandbyFinishesWhatItHasBegun: when the process is told to stop, as tasks from Asynq are. Other jobs stay due.
func TestStandbyFinishesWhatItHasBegun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	begun, goOn, over := make(chan struct{}, standbyPool), make(chan struct{}), make(chan struct{})
	var done, cut atomic.Int32
	s := &Standby{Store: w.store, Bell: w.bell, Log: w.log, Kinds: []tasks.Kind{tasks.DeliverWebhook},
		Work: func(ctx context.Context, _ tasks.Job) error {
			begun <- struct{}{}
			<-goOn
			if ctx.Err() != nil {
				cut.Add(1)
			}
			done.Add(1)
			return nil
		}}
	w.add(tasks.DeliverWebhook, standbyPool+3)
	go func() {
		defer close(over)
		pool := make(chan struct{}, standbyPool)
		s.workThrough(ctx, pool, s.Kinds)
		drain(pool)
	}()
	for range standbyPool {
		<-begun
	}
	stop()
	close(goOn)
	<-over
	require.Equal(t, int32(standbyPool), done.Load())
	require.Zero(t, cut.Load(), "work that was broken off")
	require.Equal(t, 3, w.count("select count(*) from jobs where attempt = 0 and run_at <= now()"))
}
