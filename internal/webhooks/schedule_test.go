package webhooks_test

import (
	"testing"
	"time"

	"causeway/internal/webhooks"
)

// Covers addendum §11: POST of JSON
func TestNextFollowsTheSchedule(t *testing.T) {
	const m, h = time.Minute, time.Hour
	want := []time.Duration{10 * time.Second, m, 5 * m, 15 * m, h, 3 * h, 6 * h, 12 * h, 24 * h, 24 * h}
	middle := func() float64 { return 0.5 }
	for i, base := range want {
		delay, exhausted := webhooks.Next(i+1, middle)
		if exhausted || delay != base {
			t.Errorf("after attempt %d: %v, %v; want %v", i+1, delay, exhausted, base)
		}
	}
	if delay, exhausted := webhooks.Next(len(want)+1, middle); !exhausted || delay != 0 {
		t.Errorf("after the last: %v, %v", delay, exhausted)
	}
}

func TestNextIsSpreadByATenth(t *testing.T) {
	low, _ := webhooks.Next(5, func() float64 { return 0 })
	high, _ := webhooks.Next(5, func() float64 { return 1 })
	if low != 54*time.Minute || high != 66*time.Minute {
		t.Fatalf("got %v to %v", low, high)
	}
}
