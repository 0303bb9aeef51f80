package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// load is closed: each client sends its next request when the last one was answered.
type load struct {
	address string
	clients int
	length  time.Duration
	request func(client, n int) []byte // the nth of a client
	want    int                        // status; anything else ends the run
	started func()                     // called when counting starts; may be nil
}

// outcome sums up the answers after the warm-up.
type outcome struct {
	count    int
	rate     float64 // requests a second
	p50, p99 time.Duration
}

// warmUp is not counted.
const warmUp = 500 * time.Millisecond

func (l load) run() (outcome, error) {
	var counting, ended atomic.Bool
	results := make([][]time.Duration, l.clients)
	failures := make([]error, l.clients)
	var all sync.WaitGroup
	for i := range l.clients {
		all.Go(func() { results[i], failures[i] = l.one(i, &counting, &ended) })
	}
	wait(warmUp)
	counting.Store(true)
	if l.started != nil {
		l.started()
	}
	start := time.Now()
	wait(l.length)
	ended.Store(true)
	took := time.Since(start)
	all.Wait()
	if err := errors.Join(failures...); err != nil {
		return outcome{}, err
	}
	return summarise(slices.Concat(results...), took), nil
}

// one sends until the end and returns the latencies of the requests asked and answered in the counted time.
func (l load) one(number int, counting, ended *atomic.Bool) ([]time.Duration, error) {
	c, err := dial(l.address)
	if err != nil {
		return nil, err
	}
	defer c.close()
	var took []time.Duration
	for n := 0; ; n++ {
		request := l.request(number, n)
		counts := counting.Load()
		start := time.Now()
		status, body, err := c.do(request)
		latency := time.Since(start)
		if err != nil || status != l.want {
			return nil, errors.Join(err, fmt.Errorf("client %d, request %d: %d %.400s", number, n, status, body))
		}
		if ended.Load() {
			return took, nil
		}
		if counts {
			took = append(took, latency)
		}
	}
}

func summarise(latencies []time.Duration, took time.Duration) outcome {
	o := outcome{count: len(latencies), rate: float64(len(latencies)) / took.Seconds()}
	if len(latencies) > 0 {
		slices.Sort(latencies)
		o.p50, o.p99 = latencies[len(latencies)/2], latencies[len(latencies)*99/100]
	}
	return o
}

// wait lets time pass: the length of a measurement.
func wait(d time.Duration) { <-time.After(d) }
