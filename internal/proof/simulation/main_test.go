package simulation

import (
	"flag"
	"testing"

	"causeway/internal/dev/testkit"
)

// TestMain plays several seeds for each processor: one plays most of its time in PostgreSQL, and waits.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	testkit.Leakless(m)
}
