package store_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// TestMemosThatBeginAlikeAreOtherTransfers: a memo may be longer than a key of an index, and a transaction mined again
// with another one is another transfer.
func TestMemosThatBeginAlikeAreOtherTransfers(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	long := strings.Repeat("x", 64)
	memos := map[uuid.UUID]string{}
	for _, memo := range []string{long, long + "1", long + "2", ""} {
		tr := pay.Transfer{ID: uuid.New(), Network: "TON", Txid: "t", Token: "TON", Address: "a", Memo: memo,
			Amount: decimal.NewFromInt(1), Status: pay.TransferSeen}
		memos[tr.ID] = memo
		for range 2 { // it is written again as itself
			if err := s.SaveTransfers(t.Context(), []pay.Transfer{tr}); err != nil {
				t.Fatal(err)
			}
		}
	}
	rows, err := s.TransfersByTxid(t.Context(), "TON", []string{"t"})
	if err != nil || len(rows) != len(memos) {
		t.Fatalf("%d transfers, %v, want %d", len(rows), err, len(memos))
	}
	for i := range rows {
		if memos[rows[i].ID] != rows[i].Memo {
			t.Errorf("%s has the memo %q", rows[i].ID, rows[i].Memo)
		}
	}
}
