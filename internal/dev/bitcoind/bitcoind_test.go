package bitcoind

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"
)

// TestNodes tries every node that is there. Bitcoin's and Litecoin's always are; the others are in the folder that NODES names.
func TestNodes(t *testing.T) {
	for _, kind := range Kinds {
		path, sought := kind.Where(t)
		if path == "" && !kind.Packaged() {
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

// TestLitecoinsExtension pays out of Litecoin's extension blocks: the last transaction of a block, which has a form of its own, does it.
func TestLitecoinsExtension(t *testing.T) {
	t.Parallel()
	n := Start(t, "Litecoin")
	n.Extend(t)
	to := PayTo(t, Address(t, "payee"))
	n.PegOut(t, to, 2)
	n.Mine(t, 1)
	height := n.Height(t)
	n.wantPeggedOut(t, to, height)
	n.Reorg(t, 2)
	if got := n.Height(t); got != height+1 {
		t.Errorf("at block %d, want %d", got, height+1)
	}
}

func (n *Node) wantPeggedOut(t *testing.T, to []byte, height int64) {
	t.Helper()
	txs := n.Transactions(t, n.Hash(t, height))
	last := txs[len(txs)-1].Raw
	if len(txs) < 2 || wire.NewMsgTx(2).Deserialize(hex.NewDecoder(strings.NewReader(last))) == nil {
		t.Errorf("%d transactions in block %d, and the last one has the common form: %s", len(txs), height, last)
	}
	if !strings.Contains(last, hex.EncodeToString(to)) {
		t.Errorf("the last transaction of block %d does not pay to %x: %s", height, to, last)
	}
}

func TestLitecoinReplacesOnlyIfTold(t *testing.T) {
	t.Parallel()
	n := Start(t, "Litecoin", "-mempoolreplacement=1")
	n.Replaces = true
	Trial(t, n)
}
