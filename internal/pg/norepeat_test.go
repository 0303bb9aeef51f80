package pg_test

import (
	"testing"

	"causeway/internal/dev/testkit"
	"causeway/internal/pg"
)

// TestRowOfAStatementThatFailsIsNotHandedOut reads one row of a statement failing after its first row: the row looks
// like one of `insert … returning` without its commit.
func TestRowOfAStatementThatFailsIsNotHandedOut(t *testing.T) {
	t.Parallel()
	db, err := pg.Open(testkit.DSN(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var n int
	if err := db.NewRaw("select 1 / (2 - g) from generate_series(1, 2) g").Scan(t.Context(), &n); err == nil {
		t.Errorf("answered %d", n)
	}
	var all []string
	if err := db.NewRaw("select repeat(g::text, 3) from generate_series(1, 3) g").Scan(t.Context(), &all); err != nil || len(all) != 3 ||
		all[2] != "333" {
		t.Errorf("%v, %v", all, err)
	}
	var bytes []byte
	if err := db.NewRaw("select 'abc'::bytea union all select 'def'::bytea").Scan(t.Context(), &bytes); err != nil || string(bytes) != "abc" {
		t.Errorf("%q, %v", bytes, err)
	}
	if err := db.NewRaw("select 1 where false").Scan(t.Context(), &n); err == nil {
		t.Error("a row out of nothing")
	}
}
