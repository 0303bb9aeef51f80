package main

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
)

const (
	noopType        = "noop"
	noopConcurrency = 64
	ringers         = 8 // put tasks on the queue at once
)

// noop is Asynq's own rate: tasks like ours with a handler doing nothing.
func (a *arena) noop() (float64, error) {
	n := a.many(4000)
	client := asynq.NewClientFromRedisClient(a.redis)
	err := inParallel(ringers, n, func(int) error {
		id := uuid.NewString()
		_, err := client.EnqueueContext(a.ctx, asynq.NewTask(noopType, []byte(id+":0")),
			asynq.TaskID(noopType+":"+id+":0"), asynq.Queue(noopType), asynq.MaxRetry(0), asynq.Timeout(time.Minute))
		return err
	})
	if err != nil {
		return 0, err
	}
	server := asynq.NewServerFromRedisClient(a.redis, asynq.Config{Concurrency: noopConcurrency, Queues: map[string]int{noopType: 1},
		TaskCheckInterval: 100 * time.Millisecond, LogLevel: asynq.ErrorLevel})
	c := newCounter(n)
	mux := asynq.NewServeMux()
	mux.HandleFunc(noopType, func(context.Context, *asynq.Task) error { c.hit(); return nil })
	if err := server.Start(mux); err != nil {
		return 0, err
	}
	rate := c.rate(a.slot)
	server.Shutdown()
	return rate, a.redis.FlushDB(a.ctx).Err()
}

// many is how many of something keep a measurement busy, when so many are done in a second at most.
func (b *bench) many(perSecond int) int { return int(float64(perSecond) * (b.slot + warmUp).Seconds()) }

// counter counts the hits of a number of tasks, and knows when all are in.
type counter struct {
	n, all int64
	done   chan struct{}
}

func newCounter(all int) *counter { return &counter{all: int64(all), done: make(chan struct{})} }

func (c *counter) hit() {
	if atomic.AddInt64(&c.n, 1) == c.all {
		close(c.done)
	}
}

// rate is how many a second happen in the given time after the warm-up, or until there is nothing left.
func (c *counter) rate(length time.Duration) float64 {
	for atomic.LoadInt64(&c.n) == 0 {
		wait(time.Millisecond)
	}
	wait(warmUp)
	before, start := atomic.LoadInt64(&c.n), time.Now()
	select {
	case <-c.done:
	case <-time.After(length):
	}
	return float64(atomic.LoadInt64(&c.n)-before) / time.Since(start).Seconds()
}

// inParallel calls work for 0 to n-1, some at once; the first failure ends it.
func inParallel(hands, n int, work func(i int) error) error {
	var next atomic.Int64
	var failure atomic.Pointer[error]
	var all sync.WaitGroup
	for range hands {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && failure.Load() == nil; i = int(next.Add(1)) - 1 {
				if err := work(i); err != nil {
					failure.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	all.Wait()
	if err := failure.Load(); err != nil {
		return *err
	}
	return nil
}

// asJSON writes a value known to be writable.
func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
