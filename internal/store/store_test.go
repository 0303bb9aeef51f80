package store_test

import (
	"errors"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
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

// TestConnectionsHaveWhatStatementsRelyOn: no setting of the server or the address changes it.
func TestConnectionsHaveWhatStatementsRelyOn(t *testing.T) {
	t.Parallel()
	for commit, want := range map[string]string{"off": "on", "local": "local"} {
		u, err := url.Parse(testkit.DSN(t))
		require.NoError(t, err)
		q := u.Query()
		for name, value := range map[string]string{"jit": "on", "timezone": "Asia/Tokyo", "plan_cache_mode": "auto",
			"default_transaction_isolation": "serializable", "synchronous_commit": commit} {
			q.Set(name, value)
		}
		u.RawQuery = q.Encode()
		db, err := store.Open(u.String(), 1)
		require.NoError(t, err)
		t.Cleanup(func() { _ = db.Close() })
		var got string
		require.NoError(t, db.NewRaw(`select string_agg(current_setting(name), ', ' order by name) from unnest(array['jit', 'plan_cache_mode',
			'synchronous_commit', 'timezone', 'transaction_isolation']) as name`).Scan(t.Context(), &got))
		require.Equal(t, "off, force_generic_plan, "+want+", UTC, read committed", got)
	}
}
