package utxo_test

import (
	"testing"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"causeway/chains/addresses"
	"causeway/chains/utxo"
	"causeway/internal/dev/bitcoind"
)

// TestHoldingsOfAnotherForm: the holdings of a cold address whose spends show no key are exact too, also below the block at which the
// coins were searched for.
func TestHoldingsOfAnotherForm(t *testing.T) {
	t.Parallel()
	anyone := []byte{0x51} // OP_1: a script that everybody can spend from
	hash := address.Hash160(anyone)
	script := append(append([]byte{0xa9, 20}, hash...), 0x87)
	cold := addresses.OfScript("Bitcoin", script)
	l := launch(t, "Bitcoin", func(c *utxo.Config) { c.Cold = cold })
	txid := l.pay(t, cold, amount("3"))
	l.node.Mine(t, 1)
	start := l.node.Height(t)

	paid := bitcoind.Parse(t, l.node.Transactions(t, l.node.Hash(t, start))[1].Raw)
	back, err := addresses.Script("Bitcoin", l.Hot())
	check(t, err)
	tx := wire.NewMsgTx(2)
	id := paid.TxHash()
	if id.String() != txid {
		t.Fatalf("%s is in the block, not %s", id, txid)
	}
	tx.AddTxIn(wire.NewTxIn(wire.NewOutPoint(&id, 0), []byte{1, 0x51}, nil))
	tx.AddTxOut(wire.NewTxOut(paid.TxOut[0].Value-10_000, back))
	l.node.Call(t, nil, "sendrawtransaction", bitcoind.Raw(t, tx))
	l.node.Mine(t, 1)

	l.wantHeld(t, start+1, "0", cold)
	l.wantHeld(t, start, "3", cold)
	l.wantHeld(t, start-1, "0", cold)
	l.wantHeld(t, start+1, "1002.9999", cold, l.Hot())
	if l.Network().Cold != cold {
		t.Errorf("cold address %s", l.Network().Cold)
	}
}
