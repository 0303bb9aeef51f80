package client

import (
	"context"
	"net/http"
	"time"
)

// A request refused by a busy node is sent again, after a doubling pause. Other failures are left to the next step.
const (
	tries      = 4
	firstPause = 250 * time.Millisecond
	longest    = 3 * time.Second // if a node asks for a longer pause, it is left alone until the next step
)

// retried is once with more tries, each with the questions refused by the busy node: some nodes refuse a request, some each
// question. Sending a transaction again is safe: the bytes are the same.
func (c *Client) retried(ctx context.Context, questions []*Question) *Error {
	for try, pause := 1, firstPause; ; try, pause = try+1, 2*pause {
		failed := c.once(ctx, questions)
		wait := pause
		switch {
		case failed != nil && failed.Class == Busy:
			wait = max(pause, failed.after)
		case failed != nil:
			return failed
		default:
			if questions = refused(questions); len(questions) == 0 {
				return nil
			}
		}
		if c.hasty || try == tries || wait > longest || !waited(ctx, wait) {
			return failed
		}
	}
}

// refused returns the questions refused by the busy node.
func refused(questions []*Question) (out []*Question) {
	for _, q := range questions {
		if IsClass(q.Err, Busy) {
			out = append(out, q)
		}
	}
	return out
}

// waited waits, unless the context ends first, or would.
func waited(ctx context.Context, pause time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= pause {
		return false
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// passing reports whether an HTTP status is temporary: the same request may be answered in a moment.
func passing(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}
