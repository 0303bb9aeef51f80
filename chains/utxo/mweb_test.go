package utxo_test

import (
	"testing"

	"causeway/chains"
	"causeway/chains/addresses"
)

// TestPaymentsOutOfExtensionBlocks: on a real node of Litecoin, money that comes out of an extension block is a payment like others, and
// nothing within the block counts.
func TestPaymentsOutOfExtensionBlocks(t *testing.T) {
	t.Parallel()
	l := launch(t, "Litecoin")
	l.node.Extend(t)
	to, err := l.Derive(t.Context(), 3)
	check(t, err)
	script, err := addresses.Script("Litecoin", to)
	check(t, err)
	start := l.node.Height(t)
	inside := l.node.PegOut(t, script, 2)
	_, err = l.Pending(t.Context())
	check(t, err)
	l.node.Mine(t, 1)
	blocks, err := l.Blocks(t.Context(), start+1, 1)
	check(t, err)
	var paid []chains.Transfer
	for _, x := range blocks[0].Transfers {
		if x.Txid == inside {
			t.Errorf("a transfer within the extension block: %+v", x)
		}
		if x.To == to {
			paid = append(paid, x)
		}
	}
	if len(paid) != 1 || !paid[0].Amount.Equal(amount("2")) || paid[0].Position == 0 {
		t.Fatalf("%+v", paid)
	}
	txs := l.node.Transactions(t, blocks[0].Hash)
	if last := txs[len(txs)-1].ID; paid[0].Txid != last {
		t.Errorf("paid by %s, and the last transaction is %s", paid[0].Txid, last)
	}
	l.wantHeld(t, start, "0", to)
	l.wantHeld(t, start+1, "2", to)
	if state := l.status(t, paid[0].Txid); state.State != chains.TxMined || state.Height != start+1 {
		t.Errorf("%+v", state)
	}
	l.node.Mine(t, 6)
	signed, _ := l.spend(t, chains.Spend{Orders: []chains.Order{l.order(t, "1")}}, chains.Slot{})
	if outcome, reason := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
		t.Errorf("outcome %d: %s", outcome, reason)
	}
}
