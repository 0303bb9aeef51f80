package utxo_test

import (
	"os"
	"testing"

	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/coinfake"
)

// TestOtherNodes runs the suite on the nodes that no package has: on their fakes, and on each real one that is in the folder NODES (make
// verify-nodes). It names the real ones that are not there. With the folder, Litecoin's node plays the suite too: it costs a minute and a half
// of a processor, and other tests play a payin, a payout and MWEB on it each time.
func TestOtherNodes(t *testing.T) {
	t.Parallel()
	for _, kind := range bitcoind.Kinds {
		if kind.Packaged() {
			if kind.Network != "Bitcoin" && os.Getenv("NODES") != "" {
				t.Run("real "+kind.Network, func(t *testing.T) { suite(t, kind.Network) })
			}
			continue // TestBitcoin
		}
		t.Run(kind.Network, func(t *testing.T) {
			t.Parallel()
			suiteOn(t, func(t *testing.T) *launched {
				return on(t, bitcoind.At(t, kind.Network, coinfake.Start(t, kind.Network).URL))
			})
		})
		path, sought := kind.Where(t)
		switch {
		case path != "":
			t.Run("real "+kind.Network, func(t *testing.T) {
				t.Logf("%s: %s", path, bitcoind.Start(t, kind.Network).Version(t))
				suite(t, kind.Network)
			})
		case os.Getenv("NODES") != "":
			t.Logf("there is no real node of %s: %s", kind.Network, sought)
		}
	}
}
