package monero

import (
	"encoding/hex"
	"testing"

	"causeway/chains/monero/client"
)

// TestOldTransactionsOnAPrunedNode: a node without the signatures of a transaction of the first version is believed once it cannot have
// them any more, and not before: else it could hide a payment behind such a word.
func TestOldTransactionsOnAPrunedNode(t *testing.T) {
	t.Parallel()
	f := recordedNode(t)
	raw, err := hex.DecodeString(recordedBlock)
	if err != nil {
		t.Fatal(err)
	}
	bare := append([]byte{1, 0, 1, keyInput, 200, 1, 1, 7}, make([]byte, 32)...) // a coin of 200, among one, at place 7
	bare = append(bare, 0, 0)
	id := keccak(bare, make([]byte, 64))
	f.put(t, recordedHeight, blockOf(raw, recordedHeight, id))
	f.txs = map[string]map[string]any{id.String(): {"tx_hash": id.String(), "pruned_as_hex": hex.EncodeToString(bare), "prunable_hash": hash{}.String()}}
	read := func(best int64) ([]*transaction, error) {
		f.best = best
		f.put(t, best, blockOf(raw, best))
		var txs []*transaction
		err := f.pool(t).Use(t.Context(), func(n node) (err error) {
			_, txs, err = readBlock(t.Context(), n, recordedHeight)
			return err
		})
		return txs, err
	}
	if txs, err := read(recordedHeight + keptWhole); !client.Pruned(err) {
		t.Errorf("of the last week: %+v, %v", txs, err)
	}
	txs, err := read(recordedHeight + keptWhole + 1)
	if err != nil || len(txs) != 1 || txs[0].id != id {
		t.Fatalf("%+v, %v", txs, err)
	}
	k := knowledge{unshown: map[uint64]bool{7: true}} // of hidden amounts, which have places of their own
	if spent, ours, err := k.spends(txs[0]); err != nil || ours || len(spent) != 1 {
		t.Errorf("%+v, %v, %v", spent, ours, err)
	}
	f.txs[id.String()]["as_hex"] = hex.EncodeToString(append(bare, make([]byte, 64)...))
	if txs, err := read(recordedHeight + 1); err != nil || len(txs) != 1 || txs[0].id != id {
		t.Errorf("with all bytes: %+v, %v", txs, err)
	}
}
