package store_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/testkit"
	"causeway/store"
)

// TestATransactionInsideAnotherIsPartOfIt: it sees what that one has written, and is undone with it.
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

// TestNoStatementIsCompiled: PostgreSQL compiles what it takes for dear, and functions that forbid plans look dear to it. It
// took a group of payouts that is recorded in 2 ms more than 130.
func TestNoStatementIsCompiled(t *testing.T) {
	t.Parallel()
	var value, from string
	require.NoError(t, testkit.DB(t).NewRaw("select setting, source from pg_settings where name = 'jit'").Scan(t.Context(), &value, &from))
	require.Equal(t, "off from client", value+" from "+from) // whatever the server's own is
}
