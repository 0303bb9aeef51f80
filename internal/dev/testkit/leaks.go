package testkit

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// lastGoroutines is how long ending goroutines may take: a client dialling a stopped server gives up when its own time
// is over, and a busy machine is slow.
const lastGoroutines = 30 * time.Second

// Leakless is the TestMain of a package without leaked goroutines after its tests.
func Leakless(m *testing.M) {
	code := m.Run()
	if code == 0 {
		deadline := time.Now().Add(lastGoroutines)
		leaks := goleak.Find() // itself looks for a second or two
		for leaks != nil && time.Now().Before(deadline) {
			leaks = goleak.Find()
		}
		if leaks != nil {
			fmt.Fprintln(os.Stderr, leaks)
			code = 1
		}
	}
	os.Exit(code)
}
