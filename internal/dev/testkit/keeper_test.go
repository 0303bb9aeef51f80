package testkit

import (
	"os"
	"slices"
	"testing"
	"time"
)

// A keeper leaves the locked files, and nothing of its servers; the next one begins anew.
func TestAKeeperRemovesTheDataOfItsServers(t *testing.T) {
	t.Parallel()
	home, err := os.MkdirTemp("", "causeway-keeper-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err := os.Chmod(home, 0o711); err != nil { // the servers must pass: under root they are another user's
		t.Fatal(err)
	}
	for range 2 {
		if err := keep(home, time.Millisecond); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(home)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, entry := range left {
			names = append(names, entry.Name())
		}
		if !slices.Equal(names, []string{"keeper", "users"}) {
			t.Errorf("left: %v", names)
		}
	}
}
