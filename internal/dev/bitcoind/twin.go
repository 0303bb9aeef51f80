package bitcoind

import (
	"slices"
	"testing"
)

// Twin starts another node of the same network, with the blocks of this one so far. Nothing passes between the two by itself: a block
// comes by Bring, and a transaction by being sent.
func (n *Node) Twin(t testing.TB, flags ...string) *Node {
	t.Helper()
	kind := n.Kind
	kind.flags = append(slices.Clone(kind.flags), flags...)
	twin := &Node{Kind: kind, data: t.TempDir()}
	t.Cleanup(twin.Stop)
	twin.launch(t, n.process.Path)
	twin.Bring(t, n)
	return twin
}

// Bring brings a node the blocks of another one's chain that it lacks. It follows them if their chain is the longer one.
func (n *Node) Bring(t testing.TB, of *Node) {
	t.Helper()
	shared := min(n.Height(t), of.Height(t))
	for shared > 0 && n.Hash(t, shared) != of.Hash(t, shared) {
		shared--
	}
	for height := shared + 1; height <= of.Height(t); height++ {
		var raw string
		of.Call(t, &raw, "getblock", of.Hash(t, height), 0)
		var why *string
		n.Call(t, &why, "submitblock", raw)
		if why != nil && *why != "inconclusive" { // it waits for the rest of a longer chain
			t.Fatalf("block %d is not taken: %s", height, *why)
		}
	}
}
