package monero

import (
	"encoding/hex"
	"testing"
)

// FuzzTransaction: no bytes of a transaction panic, its id is of all its bytes, and no more arrives than it has outputs.
func FuzzTransaction(f *testing.F) {
	raw, err := hex.DecodeString(recordedTx)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw, uint16(0))
	f.Add([]byte{1, 0, 1, keyInput, 200, 1, 1, 7}, uint16(3))
	f.Add([]byte{2, 0, 1, madeInput, 5, 0, 0, 0}, uint16(1))
	v, err := readView(recordedView)
	if err != nil {
		f.Fatal(err)
	}
	c := &Connector{view: v}
	c.extend(10)
	f.Fuzz(func(t *testing.T, raw []byte, at uint16) {
		_, _ = parseFirst(raw)
		_, _ = parseBare(raw, recordedID)
		if whole, ok := parseWhole(raw); ok && whole.id == (hash{}) {
			t.Fatal("a transaction without its id")
		}
		tx, ok := parsePruned(raw, hash{1})
		if !ok {
			return
		}
		found := c.view.arrivals(tx, c.among)
		if len(found) > len(tx.outs) || len(tx.rings) != len(tx.images) {
			t.Fatalf("%d outputs of %d are ours, with %d rings for %d coins", len(found), len(tx.outs), len(tx.rings), len(tx.images))
		}
		for _, a := range found {
			if a.units == 0 || a.minor >= c.size() {
				t.Fatalf("%+v arrives", a)
			}
		}
		other := append([]byte{}, raw...)
		other[int(at)%len(other)] ^= 1
		if changed, ok := parsePruned(other, hash{1}); ok && changed.id == tx.id {
			t.Fatalf("%x and %x are one transaction", raw, other)
		}
	})
}

// FuzzBlock: no bytes of a block panic, and no others have its hash.
func FuzzBlock(f *testing.F) {
	raw, err := hex.DecodeString(recordedBlock)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw, uint16(0))
	f.Add(blockOf(raw, 1<<40, hash{1}, hash{2}, hash{3}), uint16(50))
	f.Fuzz(func(t *testing.T, raw []byte, at uint16) {
		b, ok := parseBlock(raw)
		if !ok {
			return
		}
		other := append([]byte{}, raw...)
		other[int(at)%len(other)] ^= 1
		if changed, ok := parseBlock(other); ok && changed.id == b.id {
			t.Fatalf("%x and %x are one block", raw, other)
		}
	})
}
