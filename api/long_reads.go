package api

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

const (
	longReadsAtOnce = 4 // in a process with a pool of 8 connections or more
	longReadsOfOne  = 2
	longReadsWait   = 5 * time.Second // for a place
)

var errLongReads = pay.E(pay.Unavailable, "service_unavailable", "Too many statements are being added up. Send it again in a moment.")

// longReads bounds how many reads at once look at every movement of a merchant: of a process, and of one merchant in it. Whoever asks
// for many of them waits for his own, and everybody else has the other connections. Its zero value is ready.
type longReads struct {
	wait time.Duration // longReadsWait when zero

	mu  sync.Mutex
	all chan struct{}
	of  map[uuid.UUID]*readsOfOne
}

// readsOfOne are the places of one merchant, kept while somebody uses or waits for one.
type readsOfOne struct {
	places chan struct{}
	users  int
}

// do calls read when there is a place for it, or returns errLongReads.
func (l *longReads) do(c *Call, read func(ctx context.Context) error) error {
	return l.within(c, cmp.Or(l.wait, longReadsWait), read)
}

// within is do with another patience.
func (l *longReads) within(c *Call, wait time.Duration, read func(ctx context.Context) error) error {
	merchant := c.Caller.Merchant.ID
	patience := time.NewTimer(wait)
	defer patience.Stop()
	own := l.enter(merchant)
	defer l.leave(merchant)
	for _, places := range []chan struct{}{own, l.all} {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		case <-patience.C:
			c.retryAfter(time.Second)
			return errLongReads
		case <-c.Context().Done():
			return errLongReads
		}
	}
	return read(c.Context())
}

func (l *longReads) enter(merchant uuid.UUID) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.all, l.of = make(chan struct{}, longReadsAtOnce), map[uuid.UUID]*readsOfOne{}
	}
	one := l.of[merchant]
	if one == nil {
		one = &readsOfOne{places: make(chan struct{}, longReadsOfOne)}
		l.of[merchant] = one
	}
	one.users++
	return one.places
}

func (l *longReads) leave(merchant uuid.UUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one := l.of[merchant]; one.users > 1 {
		one.users--
	} else {
		delete(l.of, merchant)
	}
}
