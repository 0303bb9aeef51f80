package testkit

import (
	"testing"

	"github.com/uptrace/bun"
)

// Touched returns how many rows and pages of tables the only connection of a pool has read by now.
func Touched(t testing.TB, db *bun.DB) (rows, blocks int) {
	t.Helper()
	for _, query := range []string{"select pg_stat_force_next_flush()", "select pg_stat_clear_snapshot()"} {
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	err := db.NewRaw(`select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)),
		sum(coalesce(heap_blks_hit + heap_blks_read, 0) + coalesce(idx_blks_hit + idx_blks_read, 0))
		from pg_stat_user_tables join pg_statio_user_tables using (relid)`).Scan(t.Context(), &rows, &blocks)
	if err != nil {
		t.Fatal(err)
	}
	return rows, blocks
}
