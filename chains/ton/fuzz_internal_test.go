package ton

import (
	"math/big"
	"strings"
	"testing"

	"github.com/xssnick/tonutils-go/tvm/cell"

	"causeway/chains/ton/client"
)

// seeds are cells to begin with: a comment, an order, a signed message.
func seeds(f *testing.F) {
	f.Helper()
	a, _, err := walletOf(make([]byte, 32), hotSubwallet)
	if err != nil {
		f.Fatal(err)
	}
	body, err := order{query: 1, units: big.NewInt(1), to: a, memo: "12345678"}.body(a)
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range []*cell.Cell{comment("12345678"), comment("1\x002"), body, orders{subwallet: hotSubwallet, until: 1, seqno: 2, message: body}.cell()} {
		f.Add(c.ToBOC())
	}
}

// FuzzCells: whatever a node tells, reading it ends without a panic of ours, and amounts are what they were written as.
func FuzzCells(f *testing.F) {
	seeds(f)
	c := &Connector{key: make([]byte, 32)}
	f.Fuzz(func(t *testing.T, raw []byte) {
		root, err := client.ReadCell(raw)
		if err != nil {
			return
		}
		if _, err := readTransaction(account{}, root); err == nil && root.BitsSize() < 300 {
			t.Error("a transaction of less than its header")
		}
		if _, _, _, err := c.readSigned(raw); err == nil {
			t.Error("a signed message without the key")
		}
		if text := commentOf(root); len(text) > longestComment || strings.ContainsRune(text, 0) {
			t.Errorf("a comment of %d bytes: %q", len(text), text)
		}
		if o, ok := readOrder(root); ok && (o.units == nil || o.units.Sign() < 0 || o.units.BitLen() > maxBits) {
			t.Errorf("an order of %v", o.units)
		}
		if _, units, ok := sentUnits(root); ok && (units.Sign() < 0 || units.BitLen() > maxBits) {
			t.Errorf("%v units are sent", units)
		}
		if _, ok := backUnits(root); ok && commentOf(root) != "" {
			t.Error("what comes back is a comment")
		}
		if op, rest, ok := opOf(root); ok && op == opNotice {
			if n, ok := readNotice(rest); ok && (n.units.Sign() < 0 || n.units.BitLen() > maxBits) {
				t.Errorf("a notice of %v", n.units)
			}
		}
	})
}

// TestUnitsThatComeBack: a bounce names the order in the old form and in the newer one.
func TestUnitsThatComeBack(t *testing.T) {
	t.Parallel()
	sent := cell.BeginCell().MustStoreUInt(opInternal, 32).MustStoreUInt(42, 64).MustStoreBigCoins(big.NewInt(7)).EndCell()
	old := cell.BeginCell().MustStoreUInt(opBounced, 32).MustStoreBuilder(sent.ToBuilder()).EndCell()
	newer := cell.BeginCell().MustStoreUInt(opReturned, 32).MustStoreRef(sent).MustStoreUInt(0, 8).EndCell()
	for _, body := range []*cell.Cell{old, newer} {
		if query, ok := backUnits(body); !ok || query != 42 {
			t.Errorf("%d, %v, want 42", query, ok)
		}
	}
	for _, body := range []*cell.Cell{sent, comment("42"), cell.BeginCell().MustStoreUInt(opReturned, 32).EndCell()} {
		if query, ok := backUnits(body); ok {
			t.Errorf("%s names order %d", body.Dump(), query)
		}
	}
}

// TestBagsThatPromiseTooMuch: a few bytes that ask for gigabytes are refused before any is taken, and so is a deep tree.
func TestBagsThatPromiseTooMuch(t *testing.T) {
	t.Parallel()
	deep := cell.BeginCell().EndCell()
	for range 200 {
		deep = cell.BeginCell().MustStoreRef(deep).MustStoreRef(deep).EndCell() // each cell twice: there are two hundred, and 2^200 ways
	}
	if root, err := client.ReadCell(deep.ToBOC()); err != nil || string(root.Hash()) != string(deep.Hash()) {
		t.Errorf("a tree of 200 levels: %v", err)
	}
	for _, raw := range []string{
		"\xb5\xee\x9cr\x8c\x01\x01\x01 )\xcdy\x1c\xc4\xae\xf3I\x9a2\x01\xd2\x0e",                                    // 27 GB of roots
		"\xb5\xee\x9cr\x04\x08\x7f\xff\xff\xff\x00\x00\x00\x01\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00", // and of cells
		"\xb5\xee\x9cr", "", "\xb5\xee\x9cr\x00\x00\x00\x00\x00\x00",
	} {
		if _, err := client.ReadCell([]byte(raw)); err == nil {
			t.Errorf("%q is read", raw)
		}
	}
}
