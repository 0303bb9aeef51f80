package tronnode

import (
	"crypto/sha256"
	"encoding/json"
	"os"
	"testing"
)

// TestRecordedBlocksAreWhole computes ids, roots and signers of real blocks, out of public documents: testdata/recorded names them.
func TestRecordedBlocksAreWhole(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/recorded/blocks.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Blocks []shownBlock }
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Blocks) != 3 {
		t.Fatalf("%d blocks: %v", len(file.Blocks), err)
	}
	for _, b := range file.Blocks {
		r := b.Header.Raw
		var leaves [][32]byte
		for _, shown := range b.Transactions {
			tx, err := readTransaction(message(nil).always(1, unhex(shown.RawHex)).always(2, unhex(shown.Signature[0])))
			if err != nil {
				t.Fatalf("%s: %v", shown.TxID, err)
			}
			what, refused := tx.order()
			if refused != nil {
				t.Fatalf("%s: %+v", shown.TxID, refused)
			}
			if signer, refused := tx.signer(); refused != nil || signer != what.owner || hex32(tx.id) != shown.TxID {
				t.Errorf("%s: id %x, signed by %s, %+v", shown.TxID, tx.id, Text(signer), refused)
			}
			leaves = append(leaves, sha256.Sum256(tx.bytes(resultSuccess)))
		}
		if got := hex32(root(leaves)); got != r.Root {
			t.Errorf("root of block %d: %s, want %s", r.Number, got, r.Root)
		}
		header := message(nil).number(1, r.Timestamp).bytes(2, unhex(r.Root)).bytes(3, unhex(r.Parent)).number(7, r.Number).
			bytes(9, unhex(r.Witness)).number(10, r.Version)
		if got := hex32(sha256.Sum256(header)); got[16:] != b.BlockID[16:] {
			t.Errorf("id of block %d: %s, want %s", r.Number, got, b.BlockID)
		}
	}
}
