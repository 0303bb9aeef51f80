package client

import (
	"context"
	"net/http"
	"strconv"
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

// mostAfter is the longest pause believed.
const mostAfter = time.Hour

// retryAfter reads for how long a node asks to be left alone, by seconds or by a date; 0 where it does not say. A date is
// compared with the node's own clock, if it tells its time.
func retryAfter(h http.Header) time.Duration {
	said := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(said, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(mostAfter/time.Second))) * time.Second
	}
	until, err := http.ParseTime(said)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(until.Sub(now), 0), mostAfter)
}
