package deploy

import (
	"os"
	"testing"
)

// make calls the scripts by their names: a script without its mode stops every target.
func TestScriptsCanBeExecuted(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("../scripts")
	if err != nil || len(entries) == 0 {
		t.Fatal(entries, err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("scripts/%s: %v, %v", entry.Name(), info, err)
		}
	}
}
