package monero

import (
	"errors"
	"testing"

	"causeway/chains"
)

// TestATransactionIsWhereItsBlockSaysSo: a node's word on the height of a transaction is believed only of the block that has it.
func TestATransactionIsWhereItsBlockSaysSo(t *testing.T) {
	t.Parallel()
	f := recordedNode(t)
	cfg := Defaults()
	cfg.Rule = Rule{Credit: 2, Final: 3}
	c := &Connector{cfg: cfg, view: viewOf(t, recordedView), node: f.pool(t)}
	states, err := c.Status(t.Context(), []string{recordedID})
	if now := states[recordedID]; err != nil || now.State != chains.TxMined || now.Height != recordedHeight || now.Block != recordedBlockID || !now.Final {
		t.Fatalf("%+v, %v", now, err)
	}
	for _, height := range []int64{recordedHeight - 1, recordedHeight + 1, 0, -1, 1 << 40} {
		f.txs[recordedID]["block_height"] = height
		if states, err := c.Status(t.Context(), []string{recordedID}); !errors.Is(err, chains.ErrDown) {
			t.Errorf("said to be in block %d: %+v, %v", height, states, err)
		}
	}
	f.txs[recordedID]["block_height"], f.blobs[recordedHeight-1] = recordedHeight-1, f.blobs[recordedHeight]
	f.blocks[recordedHeight-1] = f.blocks[recordedHeight]
	if states, err := c.Status(t.Context(), []string{recordedID}); !errors.Is(err, chains.ErrDown) {
		t.Errorf("said to be in its block, said to be another one: %+v, %v", states, err)
	}
}
