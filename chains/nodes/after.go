package nodes

import (
	"net/http"
	"strconv"
	"time"
)

// mostAfter is the longest pause believed.
const mostAfter = time.Hour

// RetryAfter reads for how long a node asks to be left alone, by seconds or by a date; 0 where it does not say. A date is
// compared with the node's own clock, if it tells its time.
func RetryAfter(h http.Header) time.Duration {
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
