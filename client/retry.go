package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	firstPause   = 200 * time.Millisecond
	longestPause = 10 * time.Second
	longestKey   = 255 // characters of an Idempotency-Key
)

// repeatable reports whether sending twice has the effect of sending once: reads, dry runs, and requests with an
// Idempotency-Key (api-v1 §Limits). Whatever else is in doubt after a failure is looked up by its reference.
func (c call) repeatable() bool {
	return c.method == http.MethodGet || c.harmless || c.idempotencyKey != ""
}

// checkKey refuses an Idempotency-Key the API would take for none: sent twice under it, a payout would be made twice
// unless its reference prevents it (api-v1 §Limits).
func (c call) checkKey() error {
	n := len(c.idempotencyKey) // bytes outside UTF-8 are read as Latin-1
	if utf8.ValidString(c.idempotencyKey) {
		n = utf8.RuneCountInString(c.idempotencyKey)
	}
	if n > longestKey || n > 0 && strings.Trim(c.idempotencyKey, " \t") == "" {
		return fmt.Errorf("the idempotency key has %d characters: the API takes 1 to %d, not all of them spaces", n, longestKey)
	}
	return nil
}

// passing reports whether trying again can help: no answer, too many requests, the same key still running, or a failure on
// the other side (api-v1 §Errors).
func passing(a *answer, err error) bool {
	switch {
	case err != nil:
		return !errors.Is(err, ErrTooLong)
	case a.status == http.StatusConflict:
		return a.refusal().Code == "idempotency_key_in_progress"
	default:
		return a.status == http.StatusTooManyRequests || a.status >= http.StatusInternalServerError && !a.halfWay()
	}
}

// halfWay reports whether a failure tells of payouts created before it: asked again, the API would call these duplicates, and
// not say which of them it had just created (api-v1 §Limits).
func (a *answer) halfWay() bool {
	var told PayoutResults
	return json.Unmarshal(a.body, &told) == nil && slices.ContainsFunc(told.Results, func(r PayoutResult) bool { return r.Error == nil })
}

// pause is the wait asked for by the API, else longer each time, with a share of chance so clients do not march in step.
func pause(attempt int, a *answer) time.Duration {
	if asked := a.retryAfter(); asked > 0 {
		return asked
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
