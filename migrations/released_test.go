package migrations_test

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/migrations"
)

// released are the versions whose databases are kept, with rows: make freeze has made each from a storm.
func released(t *testing.T) (versions []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/released/*.sql.gz")
	must(t, err)
	for _, name := range files {
		versions = append(versions, strings.TrimSuffix(filepath.Base(name), ".sql.gz"))
	}
	return versions
}

// Each version in the changelog has its database kept, and no other.
func TestEveryReleaseIsKept(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../CHANGELOG.md")
	must(t, err)
	var told []string
	for _, match := range regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+) `).FindAllStringSubmatch(string(content), -1) {
		told = append(told, match[1])
	}
	slices.Sort(told)
	if kept := released(t); !slices.Equal(told, kept) {
		t.Errorf("CHANGELOG.md has the versions %q, testdata/released has %q", told, kept)
	}
}

// A database of a released version moves on to this schema with all its rows, and is then as a new one.
//
// Covers operator §Roles: A new version is rolled out
func TestEveryReleaseMovesOn(t *testing.T) {
	t.Parallel()
	fresh := schema(t, testkit.DB(t))
	for _, version := range released(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			db := testkit.EmptyDB(t)
			restore(t, db, version)
			before := rows(t, db)
			must(t, migrations.Up(t.Context(), db))
			after := rows(t, db)
			for table, n := range before {
				if n == 0 && !neverFull[table] {
					t.Errorf("no row of %s was tried", table)
				}
				if after[table] < n {
					t.Errorf("%s had %d rows, and has %d", table, n, after[table])
				}
			}
			compare(t, fresh, schema(t, db))
		})
	}
}

// neverFull are tables without rows between two steps of the service.
var neverFull = map[string]bool{"bun_migration_locks": true}

// A step that was released is not edited: an installation that has taken it would never take it again.
func TestReleasedStepsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	now := migrations.Hashes()
	for _, version := range released(t) {
		file, err := os.Open(filepath.Join("testdata/released", version+".steps"))
		must(t, err)
		n := 0
		for lines := bufio.NewScanner(file); lines.Scan(); n++ {
			name, hash, _ := strings.Cut(lines.Text(), " ")
			if now[name] != hash {
				t.Errorf("%s was released with %s, and is %q now", name, version, now[name])
			}
		}
		must(t, file.Close())
		if n == 0 {
			t.Errorf("%s names no step", version)
		}
	}
}

// releasedSteps are the names of all steps that a release has.
func releasedSteps(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, version := range released(t) {
		content, err := os.ReadFile(filepath.Join("testdata/released", version+".steps"))
		must(t, err)
		for line := range strings.Lines(string(content)) {
			name, _, _ := strings.Cut(line, " ")
			out[name] = true
		}
	}
	return out
}

// restore fills an empty database with that of a version. The dump changes its session, which is put right again.
func restore(t *testing.T, db *bun.DB, version string) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata/released", version+".sql.gz"))
	must(t, err)
	defer file.Close()
	plain, err := gzip.NewReader(file)
	must(t, err)
	dump, err := io.ReadAll(plain)
	must(t, err)
	conn, err := db.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	for _, statement := range []string{string(dump), "reset all", "analyze"} {
		_, err = conn.Conn.ExecContext(t.Context(), statement)
		must(t, err)
	}
}

// rows counts the rows of each table.
func rows(t *testing.T, db *bun.DB) map[string]int {
	t.Helper()
	var tables []string
	must(t, db.NewRaw("select relname::text from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'").Scan(t.Context(), &tables))
	counts := map[string]int{}
	for _, table := range tables {
		var n int
		must(t, db.NewRaw("select count(*) from ?", bun.Ident(table)).Scan(t.Context(), &n))
		counts[table] = n
	}
	return counts
}

// schema is each part of a schema in words. Columns are told by their names: one added later is the last one.
func schema(t *testing.T, db *bun.DB) (parts []string) {
	t.Helper()
	must(t, db.NewRaw(`
		select 'column ' || a.attrelid::regclass || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull || ' ' || a.attgenerated::text
			|| ' ' || a.attidentity::text || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
		from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'c') and a.attnum > 0 and not a.attisdropped
		union all select 'table ' || oid::regclass || ' ' || relkind::text || ' ' || coalesce(reloptions::text, '') || ' ' || coalesce(pg_get_expr(relpartbound, oid), '')
		from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'S')
		union all select 'view ' || viewname || ' ' || definition from pg_views where schemaname = 'public'
		union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || translate(pg_get_constraintdef(oid), '()', '') -- a restored one has others
		from pg_constraint where connamespace = 'public'::regnamespace and conrelid <> 0
		union all select 'index ' || indexdef from pg_indexes where schemaname = 'public'
		union all select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
		union all select 'trigger ' || pg_get_triggerdef(oid) || ' ' || tgenabled::text from pg_trigger where not tgisinternal
		union all select 'label ' || enumtypid::regtype || ' ' || enumlabel from pg_enum
		union all select 'right ' || relname || ' ' || r.rolname || ' ' || privilege_type from pg_class c, aclexplode(c.relacl) x join pg_roles r on r.oid = x.grantee
		where c.relnamespace = 'public'::regnamespace and x.grantee <> c.relowner
		union all select 'right ' || p.oid::regprocedure || ' ' || r.rolname from pg_proc p, aclexplode(p.proacl) x join pg_roles r on r.oid = x.grantee
		where p.pronamespace = 'public'::regnamespace and x.grantee <> p.proowner
		order by 1`).Scan(t.Context(), &parts))
	return parts
}

// compare names the parts that one schema has and the other has not.
func compare(t *testing.T, fresh, moved []string) {
	t.Helper()
	for _, part := range fresh {
		if _, found := slices.BinarySearch(moved, part); !found {
			t.Errorf("only a new database has %s", part)
		}
	}
	for _, part := range moved {
		if _, found := slices.BinarySearch(fresh, part); !found {
			t.Errorf("only the moved one has %s", part)
		}
	}
}
