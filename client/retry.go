package client

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	firstPause   = 200 * time.Millisecond
	longestPause = 10 * time.Second
)

// repeatable tells whether sending twice does what sending once does: reads, dry runs, and requests with an
// Idempotency-Key (api-v1 §Limits). Whatever else is in doubt after a failure is looked up by its reference.
func (c call) repeatable() bool {
	return c.method == http.MethodGet || c.harmless || c.idempotencyKey != ""
}

// passing tells whether trying again can help: no answer, too many requests, the same key still running, or a failure on
// the other side (api-v1 §Errors).
func passing(a *answer, err error) bool {
	switch {
	case err != nil:
		return true
	case a.status == http.StatusConflict:
		return a.refusal().Code == "idempotency_key_in_progress"
	default:
		return a.status == http.StatusTooManyRequests || a.status >= http.StatusInternalServerError
	}
}

// pause is what the API asks for, else longer each time, with a share of chance so that clients do not march in step.
func pause(attempt int, a *answer) time.Duration {
	if a != nil {
		if asked := a.retryAfter(); asked > 0 {
			return asked
		}
	}
	most := min(firstPause<<attempt, longestPause)
	return most/2 + rand.N(most/2+1) //nolint:gosec // no secret depends on it
}

func wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
