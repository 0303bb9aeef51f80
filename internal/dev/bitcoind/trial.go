package bitcoind

import (
	"errors"
	"slices"
	"testing"
)

// Trial checks on a fresh chain what the tests of a connector rely on: payments, replacements, blocks taken back and coins spent twice.
// Real nodes and fakes go through the same.
func Trial(t *testing.T, n *Node) {
	to := Output{PayTo(t, Address(t, "payee")), 2_000 * n.Rate}
	t.Run("a payment is in the mempool, and then in a block", func(t *testing.T) {
		txid := n.Send(t, to)
		n.wantMempool(t, txid)
		n.Mine(t, 1)
		n.wantMempool(t)
		n.wantMined(t, txid, n.Height(t))
	})
	t.Run("a block taken back is mined again without what was dropped", func(t *testing.T) {
		kept, dropped := n.Send(t, to), n.Send(t, to)
		n.Mine(t, 2)
		height := n.Height(t)
		before := n.Hash(t, height-1)
		n.Reorg(t, 2, dropped)
		if got := n.Height(t); got != height+1 || n.Hash(t, height-1) == before {
			t.Errorf("block %d at %d, want another block and one more than %d", height-1, got, height)
		}
		n.wantMined(t, kept, height-1)
		n.wantGone(t, dropped)
		n.wantMempool(t)
	})
	t.Run("a coin is spent twice by a reorganisation", func(t *testing.T) {
		txid := n.Send(t, to)
		n.Mine(t, 1)
		raw := n.Transactions(t, n.Hash(t, n.Height(t)))[1].Raw
		other := n.DoubleSpend(t, 1, txid)
		n.wantMined(t, other, n.Height(t)-1)
		n.wantGone(t, txid)
		n.wantRefused(t, raw, -25)
	})
	t.Run("a replacement", func(t *testing.T) {
		txid := n.Send(t, to)
		if !n.Replaces {
			n.wantRefused(t, Raw(t, n.conflict(t, txid)), -26)
			n.wantMempool(t, txid)
			return
		}
		other := n.Replace(t, txid)
		n.wantMempool(t, other)
		n.wantGone(t, txid)
	})
}

func (n *Node) wantMempool(t *testing.T, txids ...string) {
	t.Helper()
	got := n.Mempool(t)
	slices.Sort(got)
	slices.Sort(txids)
	if !slices.Equal(got, txids) {
		t.Errorf("the mempool of %s has %v, want %v", n.Network, got, txids)
	}
}

func (n *Node) wantMined(t *testing.T, txid string, height int64) {
	t.Helper()
	if !slices.ContainsFunc(n.Transactions(t, n.Hash(t, height)), func(tx Tx) bool { return tx.ID == txid }) {
		t.Errorf("block %d of %s does not have %s", height, n.Network, txid)
	}
}

// wantGone fails unless a transaction is in no block of the chain and not in the mempool. The index of all transactions still knows it
// from a block that was taken back: then the answer has a block, and no confirmation.
func (n *Node) wantGone(t *testing.T, txid string) {
	t.Helper()
	var found struct {
		BlockHash     string
		Confirmations int
	}
	err := n.Try(&found, "getrawtransaction", txid, 1)
	var refusal *Refusal
	if errors.As(err, &refusal) && refusal.Code == -5 || err == nil && found.BlockHash != "" && found.Confirmations <= 0 {
		return
	}
	t.Errorf("transaction %s of %s: %+v, %v, want -5 or a block without confirmations", txid, n.Network, found, err)
}

func (n *Node) wantRefused(t *testing.T, raw string, code int) {
	t.Helper()
	var refusal *Refusal
	if err := n.Try(nil, "sendrawtransaction", raw); !errors.As(err, &refusal) || refusal.Code != code {
		t.Errorf("%s answers %v, want %d", n.Network, err, code)
	}
}
