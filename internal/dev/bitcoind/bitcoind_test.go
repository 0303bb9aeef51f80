package bitcoind

import (
	"os"
	"testing"
)

// TestNodes tries every node that is there. Bitcoin's and Litecoin's always are; the others are in the folder that NODES names.
func TestNodes(t *testing.T) {
	for _, kind := range Kinds {
		path, sought := kind.Where(t)
		if path == "" && kind.folder != "" {
			if os.Getenv("NODES") != "" {
				t.Logf("%s is not there: %s", kind.Network, sought)
			}
			continue
		}
		t.Run(kind.Network, func(t *testing.T) {
			t.Parallel()
			n := Start(t, kind.Network)
			t.Logf("%s: %s", kind.Network, n.Version(t))
			Trial(t, n)
		})
	}
}

func TestLitecoinReplacesOnlyIfTold(t *testing.T) {
	n := Start(t, "Litecoin", "-mempoolreplacement=1")
	n.Replaces = true
	Trial(t, n)
}
