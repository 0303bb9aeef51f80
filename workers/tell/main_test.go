package tell_test

import (
	"testing"

	"causeway/internal/dev/testkit"
)

// TestMain fails when a goroutine is left behind.
func TestMain(m *testing.M) { testkit.Leakless(m) }
