package ripple

import (
	"encoding/json"
	"testing"

	"causeway/chains/ripple/client"
)

// FuzzOrder: whatever bytes are read as a transaction, those of ours are written as they were read, and of the known kinds.
func FuzzOrder(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(unhex(f, v.Blob))
	}
	f.Fuzz(func(t *testing.T, blob []byte) {
		o, signature, err := readOrder(blob)
		if err != nil {
			return
		}
		_ = o.signedBy(signature)
		if string(o.encode(signature)) != string(blob) || o.kind != typePayment && o.kind != typeAccountSet || o.kind == typePayment && o.amount <= 0 {
			t.Fatalf("%x is one of ours", blob)
		}
	})
}

// FuzzMoves: no transaction and metadata panic, and what they move is never nothing, or less.
func FuzzMoves(f *testing.F) {
	for _, r := range recordedLedgers(f) {
		for _, tx := range r.Transactions {
			f.Add(unhex(f, tx.Blob), unhex(f, tx.Meta))
		}
	}
	var all []recordedTransaction
	recorded(f, "transactions.json", &all)
	for _, r := range all {
		f.Add(unhex(f, r.Blob), unhex(f, r.Meta))
	}
	f.Fuzz(func(t *testing.T, blob, meta []byte) {
		tx, err := readTransaction(txid(blob), blob, meta)
		if err != nil {
			return
		}
		for _, m := range tx.transfers() {
			if !m.Amount.IsPositive() || !tx.succeeded {
				t.Fatalf("%+v moves %+v", tx, m)
			}
		}
	})
}

// FuzzLedgerTold: no answer makes a ledger but one that has the hash and the root of its header, and none of it panics.
func FuzzLedgerTold(f *testing.F) {
	for _, r := range recordedLedgers(f) {
		raw, _ := r.told(f)
		text, _ := json.Marshal(raw)
		f.Add(text)
	}
	f.Add([]byte(`{"ledger":{"ledger_data":"","transactions":[{"tx_blob":"12","meta_blob":"F8"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var told client.Ledger
		if json.Unmarshal(text, &told) != nil {
			return
		}
		h, ok := client.ReadHeader(told.Ledger.Data)
		if !ok {
			return
		}
		l, err := silent().parse(&told, h)
		if err != nil {
			return
		}
		leaves := make([]leaf, 0, len(told.Ledger.Transactions))
		for _, tx := range told.Ledger.Transactions {
			blob, meta := unhex(t, tx.Blob), unhex(t, tx.Meta)
			leaves = append(leaves, leafOf(txid(blob), blob, meta))
		}
		if root(leaves) != l.Root {
			t.Fatalf("%s is read as ledger %s", text, l.Hash)
		}
	})
}
