// Package testkit gives each test its own database and its own Redis.
//
// The first test process of a checkout to ask starts the servers. All running at the
// same time share them, and they end with their data some seconds after the last of
// them: a bare `go test ./...` needs nothing but the binaries. Only test files import
// this package. A test of a package needed by testkit itself (store, migrations) lives
// in the external package, such as store_test.
package testkit

import (
	"testing"
	"time"
)

// Eventually waits until cond is true, and fails the test if it takes longer than
// within. what completes "waited in vain for …".
func Eventually(t testing.TB, within time.Duration, cond func() bool, what string) {
	t.Helper()
	deadline := time.After(within)
	pause := time.Millisecond
	for !cond() {
		select {
		case <-deadline:
			t.Fatalf("waited %v in vain for %s", within, what)
		case <-time.After(pause):
			pause = min(2*pause, 25*time.Millisecond)
		}
	}
}
