package api

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"causeway/internal/batch/redispipe"
)

// A link is Redis as the front may use it: never for longer than its client waits for an answer, and not at all for a
// while after it failed. An absent Redis costs a request next to nothing.
type link struct {
	client   *redis.Client // nil: there is none
	patience time.Duration
	mu       sync.Mutex
	retry    time.Time
}

const (
	patience = 250 * time.Millisecond
	pause    = time.Second
)

// Hurried returns options for the front's own Redis client: one attempt, no longer than a request may wait for Redis.
func Hurried(from *redis.Options) *redis.Options {
	options := *from
	options.MaxRetries, options.DialerRetries = -1, 1
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout = patience, patience, patience
	options.PoolTimeout, options.ContextTimeoutEnabled = patience, true
	return &options
}

func newLink(client *redis.Client) *link {
	if client == nil {
		return &link{}
	}
	p := client.Options().ReadTimeout
	own := client.WithTimeout(p) // its hooks are its own, too
	redispipe.Attach(own)
	return &link{client: own, patience: p}
}

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
