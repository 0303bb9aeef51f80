package monerod_test

import (
	"slices"
	"strings"
	"testing"

	"causeway/internal/dev/monerod"
)

// coin is a whole one in the smallest units.
const coin = 1_000_000_000_000

// TestMonero checks on a fresh chain what the tests of the connector rely on: payments, blocks taken back, and coins spent twice.
func TestMonero(t *testing.T) {
	t.Parallel()
	n := monerod.Start(t)
	w, payee := n.Wallet(t), n.Wallet(t)
	n.MineTo(t, w.Address, 70)
	n.Mine(t, 10) // a ring has 16 members
	to := monerod.Payment{Address: payee.Address, Amount: 2 * coin}

	kept := w.Pay(t, to)
	wantMempool(t, n, kept.ID)
	n.Mine(t, 1)
	wantMempool(t, n)
	wantMined(t, n, kept.ID, true)

	dropped := w.Pay(t, to)
	n.Mine(t, 1)
	height, before := n.Height(t), n.Hash(t, n.Height(t)-1)
	n.Reorg(t, 2, dropped.ID)
	if got := n.Height(t); got != height+1 || n.Hash(t, height-1) == before {
		t.Errorf("block %d at %d, want another block and one more than %d", height-1, got, height)
	}
	n.Mine(t, 10)
	wantMempool(t, n)
	if got := payee.Unlocked(t); got != 2*coin {
		t.Errorf("%d arrived, want what was kept alone", got)
	}

	first, second := w.Sign(t, to), w.Sign(t, monerod.Payment{Address: payee.Address, Amount: 3 * coin})
	if refused := n.Send(t, first.Raw); refused != "" {
		t.Fatal(refused)
	}
	for _, when := range []string{"in the mempool", "in a block"} {
		if refused := n.Send(t, second.Raw); !strings.HasPrefix(refused, "Failed") {
			t.Errorf("a coin is spent twice, once %s: %q", when, refused)
		}
		if refused := n.Send(t, first.Raw); refused != "" {
			t.Errorf("the same bytes again, %s: %s", when, refused)
		}
		n.Mine(t, 1)
	}
}

func wantMempool(t *testing.T, n *monerod.Node, txids ...string) {
	t.Helper()
	if got := n.Mempool(t); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(txids))) {
		t.Errorf("the mempool has %v, want %v", got, txids)
	}
}

func wantMined(t *testing.T, n *monerod.Node, txid string, want bool) {
	t.Helper()
	if got := slices.Contains(n.Transactions(t, n.Height(t)), txid); got != want {
		t.Errorf("%s is in block %d: %v, want %v", txid, n.Height(t), got, want)
	}
}
