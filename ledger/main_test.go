package ledger_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain keeps the histories short: each of their steps is a call to the database. -rapid.steps and -rapid.checks on
// the command line ask for more.
func TestMain(m *testing.M) {
	_ = flag.Set("rapid.steps", "12")
	flag.Parse()
	os.Exit(m.Run())
}
