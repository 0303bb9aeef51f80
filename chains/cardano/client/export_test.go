package client

import "time"

// TryAfter has connections tried that were not used for so long. It returns the former time.
func TryAfter(d time.Duration) (former time.Duration) {
	former, idle = idle, d
	return former
}
