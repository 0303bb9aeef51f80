package utxo

import (
	"bytes"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"
)

// FuzzTransaction: bytes that btcd reads as a transaction are the same one here, and no bytes are read as another.
func FuzzTransaction(f *testing.F) {
	for _, file := range []string{"dogecoin", "bitcoincash", "bitcoingold"} {
		for _, c := range recorded(f, file).Dialogue {
			if c.Method == "sendrawtransaction" && len(c.Params[0]) > 2 {
				f.Add(unhex(f, string(c.Params[0][1:len(c.Params[0])-1])))
			}
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := parse(raw)
		if err != nil {
			return
		}
		tx := wire.NewMsgTx(1)
		rest := bytes.NewReader(raw)
		if tx.Deserialize(rest) != nil || rest.Len() > 0 {
			return // more than btcd allows
		}
		if got.hash != hash(tx.TxHash()) || len(got.ins) != len(tx.TxIn) || len(got.outs) != len(tx.TxOut) {
			t.Fatalf("%x is %s with %d outputs, and btcd reads %s with %d", raw, got.hash, len(got.outs), tx.TxHash(), len(tx.TxOut))
		}
		for i, o := range got.outs {
			if o.units != tx.TxOut[i].Value || !bytes.Equal(o.script, tx.TxOut[i].PkScript) {
				t.Fatalf("output %d of %x", i, raw)
			}
		}
	})
}

// FuzzBlock: no bytes make a block but those of the hash asked for, and none of it panics.
func FuzzBlock(f *testing.F) {
	f.Add(unhex(f, recorded(f, "dogecoin").MergeMined.Raw))
	f.Add(unhex(f, recorded(f, "bitcoingold").AfterFork.Raw))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, c := range coins {
			name := bitcoin.main.genesis
			if len(raw) >= 80 {
				name = double(raw[:80]).String()
			}
			for _, forked := range []bool{true, false} {
				if b, err := c.parseBlock(raw, name, 1, forked); err == nil && b.hash.String() != name {
					t.Fatalf("%s: %x", c.network, raw)
				}
			}
		}
	})
}
