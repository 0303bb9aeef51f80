package admincmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/ops/archive"
)

// archived is a site whose postings are of May and June 2026, as its audit is, and an archive of both months.
func archived(t *testing.T) (*site, string, archive.Manifest) {
	t.Helper()
	s := newSite(t)
	s.payout(s.Merchant(), "one")
	s.Exec("alter table postings disable trigger user; alter table audit disable trigger user")
	s.Exec("update postings set created_at = case when id < 32 then timestamptz '2026-05-31 23:59:59.999999+00' else timestamptz '2026-06-01 00:00:00+00' end")
	s.Exec("update audit set at = '2026-05-02 03:04:05.000006+00', actor = E'a \"quoted\",\r\nactor'")
	s.Exec("insert into audit (id, at, actor, action, subject, hash) select n, '2026-05-03', 'x', 'x', 'x', '' from generate_series(1001, 7000) n") // more than a page
	dir := filepath.Join(t.TempDir(), "archive")
	var m archive.Manifest
	s.Do(&m, "admin", "archive", "write", dir, "--until", "2026-06")
	return s, dir, m
}

// An archive has every row of its months, and sums that balance. A second one is the same.
//
// Covers operator §Admin: causeway admin archive write
// Covers operator §Admin: causeway admin archive verify
// Covers operator §Admin: archive write writes the closed months
func TestAnArchiveHasTheBooks(t *testing.T) {
	t.Parallel()
	s, dir, m := archived(t)
	require.Equal(t, []string{"2026-05", "2026-06"}, []string{m.From, m.Until})
	var names []string
	var rows int64
	moved := decimal.Zero
	for _, f := range m.Files {
		names = append(names, f.Name)
		rows += f.Rows
		require.True(t, f.Sums["USDT"].Debit.Equal(f.Sums["USDT"].Credit))
		moved = moved.Add(f.Sums["USDT"].Debit)
	}
	require.Equal(t, []string{"postings-2026-05.csv.gz", "audit-2026-05.csv.gz", "postings-2026-06.csv.gz", "audit-2026-06.csv.gz"}, names)
	var want struct {
		Rows  int64
		Moved decimal.Decimal
	}
	require.NoError(t, s.DB.NewRaw("select (select count(*) from postings) + (select count(*) from audit) as rows, (select sum(amount) from postings) as moved").
		Scan(t.Context(), &want))
	require.Equal(t, want.Rows, rows)
	require.True(t, want.Moved.Equal(moved) && moved.IsPositive(), "%s of %s", moved, want.Moved)
	require.NotZero(t, m.Files[0].Rows)
	require.NotZero(t, m.Files[2].Rows)

	var found archive.Verified
	s.Do(&found, "admin", "archive", "verify", dir)
	require.Equal(t, archive.Verified{From: "2026-05", Until: "2026-06", Files: 4, Rows: rows, Compared: rows, Gone: []string{}}, found)
	s.Do(&found, "admin", "archive", "verify", dir, "--files-only")
	require.Zero(t, found.Compared)
	var again archive.Manifest
	s.Do(&again, "admin", "archive", "write", filepath.Join(t.TempDir(), "again"), "--from", "2026-05", "--until", "2026-06")
	require.Equal(t, fmt.Sprint(m.Files), fmt.Sprint(again.Files))

	s.Refused(command.ExitFailed, "is not empty", "admin", "archive", "write", dir)
	s.Refused(command.ExitFailed, "is not closed", "admin", "archive", "write", filepath.Join(t.TempDir(), "x"), "--until", "2999-01")
	s.Refused(command.ExitFailed, "no closed month", "admin", "archive", "write", filepath.Join(t.TempDir(), "x"), "--from", "2026-06", "--until", "2026-05")
	s.Refused(command.ExitUsage, "not a month like", "admin", "archive", "write", filepath.Join(t.TempDir(), "x"), "--until", "June")
}

// A byte, a sum, a row or a file that is another than it was is noticed, in the archive and in the books.
//
// Covers operator §Admin: archive write writes the closed months
func TestAChangedArchiveIsNoticed(t *testing.T) {
	t.Parallel()
	s, dir, m := archived(t)
	manifest, file := filepath.Join(dir, archive.ManifestName), filepath.Join(dir, m.Files[0].Name)
	changed := func(name string, change func([]byte) []byte, says string) {
		t.Helper()
		before, err := os.ReadFile(name)
		require.NoError(t, err)
		after := change([]byte(string(before)))
		require.NotEqual(t, before, after)
		require.NoError(t, os.WriteFile(name, after, 0o600))
		s.Refused(command.ExitFailed, says, "admin", "archive", "verify", dir, "--files-only")
		require.NoError(t, os.WriteFile(name, before, 0o600))
	}
	replaced := func(old, now string) func([]byte) []byte {
		return func(text []byte) []byte { return []byte(strings.Replace(string(text), old, now, 1)) }
	}
	changed(file, func(b []byte) []byte { b[len(b)/2] ^= 1; return b }, "SHA-256")
	changed(file, func(b []byte) []byte { return b[:len(b)-1] }, "SHA-256")
	changed(file, func(b []byte) []byte { return append(b, 0) }, "SHA-256")
	sum := m.Files[0].Sums["USDT"].Debit.String()
	changed(manifest, replaced(`"debit": "`+sum, `"debit": "9`+sum), "the manifest says")
	changed(manifest, replaced(`"credit": "`+sum, `"credit": "9`+sum), "the manifest says")
	changed(manifest, replaced(fmt.Sprintf(`"rows": %d`, m.Files[0].Rows), `"rows": 77`), "the manifest says 77")
	changed(manifest, replaced(`"last": "`+m.Files[0].Last, `"last": "9`), "the manifest says")
	changed(manifest, replaced(`"name": "audit-2026-05`, `"name": "../audit-2026-05`), "does not name audit-2026-05")
	changed(manifest, replaced(`"version": 1`, `"version": 2`), "version 2")
	var found archive.Verified
	s.Do(&found, "admin", "archive", "verify", dir)
	for _, c := range []struct{ tamper, says string }{
		{"update postings set amount = amount + 0.00000001 where id = (select max(id) from postings)", "is not row"},
		{"delete from postings where id = (select max(id) from postings)", "and the books have not"},
		{"update audit set action = 'nothing' where id = 1", "is not row 1 of the books"},
	} {
		s.Exec("create table kept as table postings; create table kept_audit as table audit")
		s.Exec(c.tamper)
		s.Refused(command.ExitFailed, c.says, "admin", "archive", "verify", dir)
		s.Exec("truncate postings, audit; insert into postings table kept; insert into audit table kept_audit; drop table kept, kept_audit")
	}
	s.Exec("delete from postings where created_at < '2026-06-01'")
	s.Do(&found, "admin", "archive", "verify", dir)
	require.Equal(t, []string{"postings-2026-05.csv.gz"}, found.Gone)
	require.NoError(t, os.Remove(manifest))
	s.Refused(command.ExitFailed, "not whole", "admin", "archive", "verify", dir)
}
