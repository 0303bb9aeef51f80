package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// A plan made by a connection before there were rows reads no more of the later waiting rows than asked for.
func TestDeliveriesByPlansOfEmptyTables(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	conn, err := s.DB.DB.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	work := func(ref string) {
		array := "array['" + ref + "']::uuid[]"
		for _, query := range []string{"select * from start_deliveries(" + array + ", array[0], interval '1 minute')",
			"select end_deliveries(" + array + ", array[0], array[1], array['delivered'], array[200], array[''], array[5], array[''], array[''])"} {
			_, err := conn.ExecContext(t.Context(), query)
			require.NoError(t, err)
		}
	}
	first, _ := deliveries(t, s, 1)
	work(first[0].String())
	for range 50 {
		deliveries(t, s, 4)
	}
	ids, _ := deliveries(t, s, 3)
	read := func() (rows int) {
		err := conn.QueryRowContext(t.Context(), `select sum(idx_tup_fetch) from pg_stat_xact_user_tables
			where relname in ('deliveries', 'jobs')`).Scan(&rows)
		require.NoError(t, err)
		return rows
	}
	_, err = conn.ExecContext(t.Context(), "begin")
	require.NoError(t, err)
	work(ids[0].String())
	require.Less(t, read(), 40, "203 deliveries wait")
	_, err = conn.ExecContext(t.Context(), "rollback")
	require.NoError(t, err)
}
