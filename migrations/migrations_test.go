package migrations_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/migrations"
)

// Covers operator §Roles: causeway migrate up
func TestUpDownUp(t *testing.T) {
	t.Parallel()
	db := testkit.EmptyDB(t)
	empty := objects(t, db)
	must(t, migrations.Up(t.Context(), db))
	full := objects(t, db)
	if len(full) <= len(empty) {
		t.Fatal("migrating up made nothing")
	}
	must(t, migrations.Ready(t.Context(), db))

	must(t, migrations.Down(t.Context(), db))
	if left := objects(t, db); strings.Join(left, "\n") != strings.Join(empty, "\n") {
		t.Errorf("migrating down left %q", left)
	}
	if err := migrations.Ready(t.Context(), db); err == nil {
		t.Error("an empty schema is called ready")
	}
	must(t, migrations.Down(t.Context(), db)) // nothing to take back

	must(t, migrations.Up(t.Context(), db))
	if again := objects(t, db); strings.Join(again, "\n") != strings.Join(full, "\n") {
		t.Errorf("the second way up leads elsewhere:\n%q\n%q", full, again)
	}
}

func TestConcurrentUp(t *testing.T) {
	t.Parallel()
	db := testkit.EmptyDB(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := migrations.Up(t.Context(), db); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	must(t, migrations.Ready(t.Context(), db))
}

// Covers operator §Roles: causeway migrate up
func TestStatus(t *testing.T) {
	t.Parallel()
	db := testkit.EmptyDB(t)
	before, err := migrations.Status(t.Context(), db)
	must(t, err)
	must(t, migrations.Up(t.Context(), db))
	after, err := migrations.Status(t.Context(), db)
	must(t, err)
	if len(before) == 0 || len(before) != len(after) {
		t.Fatalf("%d steps before, %d after", len(before), len(after))
	}
	for i := range before {
		if before[i].At != nil || after[i].At == nil {
			t.Errorf("%s: applied at %v before, %v after", before[i].Name, before[i].At, after[i].At)
		}
	}
}

func TestReadySaysWhichStepIsMissing(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	_, err := db.ExecContext(t.Context(), "delete from bun_migrations where name = '0001'")
	must(t, err)
	if err := migrations.Ready(t.Context(), db); err == nil || !strings.Contains(err.Error(), "0001") {
		t.Errorf("without the first step: %v", err)
	}
}

// Covers operator §Roles: A new version is rolled out
func TestANewerSchemaIsReadyForAnOlderProcess(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	_, err := db.ExecContext(t.Context(), "insert into bun_migrations (name, group_id) values ('9999', 99)")
	must(t, err)
	must(t, migrations.Ready(t.Context(), db))
}

// Another kind of file would run outside a transaction, or have no way back.
func TestFilesComeInTransactionalPairs(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	must(t, err)
	form := regexp.MustCompile(`^(\d{4}_[a-z0-9_]+)\.tx\.(up|down)\.sql$`)
	sides := map[string]int{}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".sql") {
			continue
		}
		match := form.FindStringSubmatch(entry.Name())
		if match == nil {
			t.Errorf("%s is not named NNNN_name.tx.up.sql or .tx.down.sql", entry.Name())
			continue
		}
		sides[match[1]]++
	}
	for name, n := range sides {
		if n != 2 {
			t.Errorf("%s has only one of its two files", name)
		}
	}
}

// A reader of a function or a table reads its only form. A released step is never
// edited: its tables and functions are rightly made anew by a later one, once
// until the next release.
func TestEverythingIsMadeOnce(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.up.sql")
	must(t, err)
	made := regexp.MustCompile(`(?m)^(?:create|alter|drop) (?:or replace )?(?:unique )?(table|function|trigger|type|sequence|index) (?:if (?:not )?exists )?(\w+)( on \w+)?`)
	seen := map[string]string{}
	frozen := releasedSteps(t)
	for _, name := range names {
		content, err := os.ReadFile(name)
		must(t, err)
		era := ""
		if frozen[strings.TrimSuffix(name, ".tx.up.sql")] {
			era = "released "
		}
		for _, match := range made.FindAllStringSubmatch(string(content), -1) {
			what := era + match[1] + " " + match[2]
			if match[2] == "on" { // an index named by PostgreSQL
				continue
			}
			if before, twice := seen[what]; twice {
				t.Errorf("%s is written in %s and again in %s", what, before, name)
			}
			seen[what] = name
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d statements were found", len(seen))
	}
}

// Covers addendum §6: No amount is ever a float
func TestNoColumnIsAFloat(t *testing.T) {
	t.Parallel()
	var floats []string
	err := testkit.DB(t).NewRaw(`select table_name || '.' || column_name from information_schema.columns
		where table_schema = 'public' and data_type in ('real', 'double precision', 'money')`).Scan(t.Context(), &floats)
	must(t, err)
	if len(floats) > 0 {
		t.Errorf("%q", floats)
	}
}

// objects are the relations, functions, triggers and types of a schema, without
// the migrations' own tables.
func objects(t *testing.T, db *bun.DB) []string {
	t.Helper()
	var names []string
	err := db.NewRaw(`
		select kind || ' ' || name from (
			select 'relation' as kind, c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public'
			union all
			select 'function', p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'public'
			union all
			select 'trigger', t.tgname from pg_trigger t where not t.tgisinternal
			union all
			select 'type', t.typname from pg_type t join pg_namespace n on n.oid = t.typnamespace where n.nspname = 'public'
		) all_objects where name not like '%bun_migration%' order by 1`).Scan(t.Context(), &names)
	must(t, err)
	return names
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
