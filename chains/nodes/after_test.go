package nodes

import (
	"net/http"
	"testing"
	"time"
)

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
		if got := RetryAfter(h); got != want {
			t.Errorf("%q: %v, want %v", said, got, want)
		}
	}
	h := http.Header{"Retry-After": {time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)}}
	if got := RetryAfter(h); got < 50*time.Second || got > time.Minute {
		t.Errorf("%v by our own clock, want a minute", got)
	}
}
