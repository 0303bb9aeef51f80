package webhooks

import "time"

// schedule is how long to wait after each failed attempt (addendum §11).
var schedule = []time.Duration{
	10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
	3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 24 * time.Hour,
}

// Next returns how long to wait after the given number of failed attempts, counted from 1, before the next one, or says
// the delivery is exhausted. The delay is spread by ±10 %; random returns numbers in [0, 1), as rand.Float64 does
// (addendum §11). A longer Retry-After of the receiver goes before this delay.
func Next(attempt int, random func() float64) (delay time.Duration, exhausted bool) {
	attempt = max(attempt, 1)
	if attempt > len(schedule) {
		return 0, true
	}
	base := schedule[attempt-1]
	spread := time.Duration((random()*2 - 1) * float64(base) / 10)
	return base + spread, false
}
