package client

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// A request that the node is too busy for is sent again, after a pause that doubles. Other failures are left to the next step.
const (
	tries      = 4
	firstPause = 250 * time.Millisecond
	longest    = 3 * time.Second // a node that asks for a longer pause is left alone until the next step
)

// retried is once with more tries, each with the questions that the node was too busy for: some nodes say so of a request, some of
// each question. Sending a transaction again is safe: the bytes are the same.
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
		if try == tries || wait > longest || !waited(ctx, wait) {
			return failed
		}
	}
}

// refused returns the questions that the node was too busy for.
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

// passing reports whether an HTTP status says that the same request may be answered in a moment.
func passing(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

// retryAfter reads for how many seconds a node asks to be left alone, 0 where it does not say.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > 3600 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
