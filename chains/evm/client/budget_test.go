package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/chains"
)

// TestABudgetHoldsRequestsBack: no more requests leave in a second than the budget has, including repeated ones and those of
// Within. A request without time left in its context is not sent, and its failure says why.
//
// Covers operator §Settings: `max_requests_per_second` bounds
func TestABudgetHoldsRequestsBack(t *testing.T) {
	t.Parallel()
	const budget = 20
	busy := true
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if busy = !busy; !busy {
			_, _ = io.WriteString(w, `{"id":1,"error":{"code":429,"message":"slow down"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"id":1,"result":7}`)
	})
	c.Budget(budget)
	var result int
	began := time.Now()
	for range budget {
		if err := c.Within(time.Minute).Call(t.Context(), &result, "eth_blockNumber"); err != nil {
			t.Fatal(err)
		}
	}
	if c.Requests() != 2*budget || time.Since(began) < time.Second*9/10 {
		t.Errorf("%d requests in %v, want %d in no less than a second", c.Requests(), time.Since(began), 2*budget)
	}

	slow := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"id":1,"result":7}`) })
	slow.Budget(1)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := slow.Call(ctx, &result, "eth_blockNumber"); err != nil {
		t.Fatal(err)
	}
	err := slow.Call(ctx, &result, "eth_blockNumber")
	if !errors.Is(err, chains.ErrDown) || !strings.Contains(err.Error(), "max_requests_per_second") || slow.Requests() != 1 || ctx.Err() != nil {
		t.Errorf("%v after %d requests, %v", err, slow.Requests(), ctx.Err())
	}
}

// TestRetryAfter: seconds, or a date by the node's own clock.
//
// Covers operator §Settings: A request that a node answers with HTTP 429
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	at := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	date := func(after time.Duration) string { return at.Add(after).Format(http.TimeFormat) }
	for said, want := range map[string]time.Duration{
		"":                     0,
		"2":                    2 * time.Second,
		"-1":                   0,
		"soon":                 0,
		"86400":                time.Hour,
		"99999999999999999999": 0,
		date(2 * time.Second):  2 * time.Second,
		date(-time.Minute):     0,
		date(24 * time.Hour):   time.Hour,
	} {
		h := http.Header{"Retry-After": {said}, "Date": {date(0)}}
		if got := retryAfter(h); got != want {
			t.Errorf("%q: %v, want %v", said, got, want)
		}
	}
	h := http.Header{"Retry-After": {time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)}}
	if got := retryAfter(h); got < 50*time.Second || got > time.Minute {
		t.Errorf("%v by our own clock, want a minute", got)
	}
}
