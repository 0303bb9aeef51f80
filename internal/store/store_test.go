package store_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// TestATransactionInsideAnotherIsPartOfIt: it sees the writes of the other, and is undone with it.
func TestATransactionInsideAnotherIsPartOfIt(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	add := func(tx *store.Store, code string) error {
		_, err := tx.Q.NewRaw("insert into fiats (code, name, symbol) values (?0, ?0, ?0)", code).Exec(t.Context())
		return err
	}
	known := func(in *store.Store) (n int) {
		require.NoError(t, in.Q.NewRaw("select count(*) from fiats where code in ('XXA', 'XXB')").Scan(t.Context(), &n))
		return n
	}
	undo := errors.New("undo")
	require.ErrorIs(t, s.InTx(t.Context(), func(outer *store.Store) error {
		require.NoError(t, add(outer, "XXA"))
		require.NoError(t, outer.InTx(t.Context(), func(inner *store.Store) error {
			require.Equal(t, 1, known(inner))
			return add(inner, "XXB")
		}))
		require.Equal(t, 2, known(outer))
		return undo
	}), undo)
	require.Zero(t, known(s))
}
