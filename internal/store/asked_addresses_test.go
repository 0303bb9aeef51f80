package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// TestAskedAddresses: the addresses of payins made since a time, and of fixed wallets however old. Not those of other families, and not
// the one that payins with memos share.
func TestAskedAddresses(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	since := time.Now().AddDate(0, 0, -30)
	for position, row := range []struct {
		family, match, memo string
		payin, wallet       any
	}{
		{"solana", "new", "", store.FirstIDAt(time.Now()), nil},
		{"solana", "just in time", "", store.FirstIDAt(since.Add(time.Second)), nil},
		{"solana", "too old", "", store.FirstIDAt(since.Add(-time.Second)), nil},
		{"solana", "shared", "7", store.FirstIDAt(time.Now()), nil},
		{"tron", "another family", "", store.FirstIDAt(time.Now()), nil},
		{"solana", "fixed wallet", "", nil, uuid.New()},
	} {
		_, err := db.NewRaw("insert into addresses (family, match, address, memo, position, payin_id, wallet_id) values (?0, ?1, ?1, ?2, ?3, ?4, ?5)",
			row.family, row.match, row.memo, position, row.payin, row.wallet).Exec(t.Context())
		require.NoError(t, err)
	}
	asked, err := store.New(db).AskedAddresses(t.Context(), pay.Solana, since)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"new", "just in time", "fixed wallet"}, asked)
	newest, err := store.New(db).NewestAddresses(t.Context(), pay.Tron)
	require.NoError(t, err)
	require.Equal(t, []string{"another family"}, newest)
}
