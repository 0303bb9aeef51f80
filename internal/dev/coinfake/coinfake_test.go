package coinfake

import (
	"strings"
	"testing"

	"causeway/internal/dev/bitcoind"
)

// TestFakesAreUsedAsNodes puts the fakes through the trial of the real nodes.
func TestFakesAreUsedAsNodes(t *testing.T) {
	for network := range coins {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			bitcoind.Trial(t, bitcoind.At(t, network, Start(t, network).URL))
		})
	}
}

// TestSignaturesAreChecked changes one unit of a recorded transaction that a real node has taken, and then the type of its signature.
func TestSignaturesAreChecked(t *testing.T) {
	for network := range coins {
		recorded, n := read(t, network), Start(t, network)
		script, ok := scriptOf(recorded.Addresses[0])
		if !ok {
			t.Fatalf("%s is no address", recorded.Addresses[0])
		}
		for i := range 261 {
			n.mine(script, max(i, 1))
		}
		for _, s := range recorded.Dialogue {
			if s.Note != "good" {
				continue
			}
			tx, failed := n.parse(s.Params[0].(string))
			if failed != nil {
				t.Fatal(failed.Message)
			}
			tx.TxOut[0].Value--
			wantRefused(t, n, rawOf(tx), badSign)
			tx.TxOut[0].Value++
			kind := tx.TxIn[0].SignatureScript[0]
			tx.TxIn[0].SignatureScript[kind] ^= 2
			wantRefused(t, n, rawOf(tx), "")
			tx.TxIn[0].SignatureScript[kind] ^= 2
			if _, failed := n.send(tx); failed != nil {
				t.Errorf("%s refuses what it should take: %s", network, failed.Message)
			}
		}
		if len(n.pool) != 1 {
			t.Errorf("%d transactions in the mempool of %s, want 1", len(n.pool), network)
		}
	}
}

func wantRefused(t *testing.T, n *Node, raw, reason string) {
	t.Helper()
	tx, failed := n.parse(raw)
	if failed != nil {
		t.Fatal(failed.Message)
	}
	if _, failed = n.send(tx); failed == nil || failed.Code != -26 || !strings.Contains(failed.Message, reason) {
		t.Errorf("%s answers %+v, want -26 with %q", n.network, failed, reason)
	}
}

// TestBlocksComeBack takes a block back and lets it come again.
func TestBlocksComeBack(t *testing.T) {
	for network := range coins {
		n := bitcoind.At(t, network, Start(t, network).URL)
		top, height := n.Hash(t, n.Height(t)), n.Height(t)
		n.Call(t, nil, "invalidateblock", top)
		if got := n.Height(t); got != height-1 {
			t.Errorf("%s is at %d, want %d", network, got, height-1)
		}
		n.Call(t, nil, "reconsiderblock", top)
		if got := n.Hash(t, n.Height(t)); got != top {
			t.Errorf("%s has %s, want %s", network, got, top)
		}
	}
}
