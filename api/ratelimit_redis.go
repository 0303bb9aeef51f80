package api

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// A link is Redis as the front may use it: never for longer than Patience, and not at all for a while after it failed. An
// absent Redis costs a request next to nothing.
type link struct {
	client   redis.UniversalClient // nil: there is none
	patience time.Duration
	mu       sync.Mutex
	retry    time.Time
}

// Patience is how long a request waits for Redis at most. The front's client should have one attempt, and wait no longer.
const Patience = 250 * time.Millisecond

const pause = time.Second

func newLink(client redis.UniversalClient) *link { return &link{client: client, patience: Patience} }

// try runs use and reports whether Redis answered; if not, the caller goes on without. The context of use has its
// patience from now, whatever its parent has.
func (l *link) try(ctx context.Context, now time.Time, use func(context.Context) error) (answered bool) {
	if l.client == nil || !l.open(now) {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	err := use(limited)
	switch {
	case err == nil:
		l.well()
	case ctx.Err() == nil:
		l.failed(now)
	}
	return err == nil
}

// open lets everybody through while Redis is well, and one request per pause while it is not.
func (l *link) open(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.retry.IsZero() {
		return true
	}
	if now.Before(l.retry) {
		return false
	}
	l.retry = now.Add(pause)
	return true
}

// away reports whether nobody is let through now.
func (l *link) away(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return now.Before(l.retry)
}

func (l *link) failed(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retry = now.Add(pause)
}

func (l *link) well() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retry = time.Time{}
}
