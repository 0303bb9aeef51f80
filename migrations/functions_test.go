package migrations_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/migrations"
)

// nobodys are functions and statements without a process having all their rights: the owner of the schema alone does
// them.
var nobodys = []string{"tell_payers"}

// ownersFunctions run with the rights of the owner, whoever calls them.
var ownersFunctions = append(migrations.FunctionsWithRights(), "no_sandbox_in_live_books") // a trigger's

// Each function of the schema can be run by a process: one role has every right needed by its statements. A function
// running with the owner's rights is named, since no table of rights holds it back.
//
// Covers operator §Database roles: Each has the rights
func TestEveryFunctionHasItsRights(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	may := rightsOf(t, db)
	var functions []struct {
		Name, Body string
		Owners     bool
	}
	must(t, db.NewRaw(`select p.proname as name, p.prosecdef as owners, coalesce(nullif(p.prosrc, ''), pg_get_functiondef(p.oid)) as body
		from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' order by 1`).Scan(t.Context(), &functions))
	if len(functions) < 50 {
		t.Fatalf("the schema has %d functions", len(functions))
	}
	for _, f := range functions {
		if f.Owners != slices.Contains(ownersFunctions, f.Name) {
			t.Errorf("%s runs with the owner's rights: %v", f.Name, f.Owners)
		}
		if !f.Owners {
			may.check(t, f.Name, f.Body)
		}
	}
}

// Each statement in the code can be run by a process.
//
// Covers operator §Database roles: Each has the rights
func TestEveryStatementHasItsRights(t *testing.T) {
	t.Parallel()
	may, statements := rightsOf(t, testkit.DB(t)), 0
	for _, dir := range []string{"internal/store", "internal/lists", "chains/sandbox"} {
		files, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
		must(t, err)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, nil, 0)
			must(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					value, err := strconv.Unquote(text.Value)
					must(t, err)
					may.check(t, set.Position(text.Pos()).String(), value)
					statements++
				}
				return true
			})
		}
	}
	if statements < 500 {
		t.Errorf("%d texts were read", statements)
	}
}

// rights are those of each role of a process, as "role verb table", and all tables.
type rights map[string]bool

func rightsOf(t *testing.T, db *bun.DB) rights {
	t.Helper()
	may := rights{}
	var tables []string
	must(t, db.NewRaw("select relname::text from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')").Scan(t.Context(), &tables))
	for _, table := range tables {
		may[table] = true
		for _, role := range everyRole {
			for _, verb := range []string{"select", "insert", "update", "delete"} {
				test := "has_any_column_privilege"
				if verb == "delete" {
					test = "has_table_privilege"
				}
				var has bool
				must(t, db.NewRaw("select "+test+"(?, ?, ?)", migrations.RoleName(migrations.DefaultPrefix, role), table, verb).Scan(t.Context(), &has))
				may[string(role)+" "+verb+" "+table] = has
			}
		}
	}
	return may
}

// touched finds the tables read and written by SQL. An upsert needs a right to update its table, too.
var touched = regexp.MustCompile(`\b(insert) into (\w+)|\b(delete) from (\w+)|\b(update) (\w+)(?: (?:as )?\w+)? set\b|\b(?:from|join) (\w+)|\b(do update) set\b`)

// check fails if no role of a process has all rights for a text.
func (may rights) check(t *testing.T, name, text string) {
	t.Helper()
	var needs []string
	last := ""
	for _, m := range touched.FindAllStringSubmatch(text, -1) {
		verb, table := m[1]+m[3]+m[5], m[2]+m[4]+m[6]+m[7]
		switch {
		case m[1] != "":
			last = table
		case m[7] != "":
			verb = "select"
		case m[8] != "":
			verb, table = "update", last
		}
		if may[table] {
			needs = append(needs, " "+verb+" "+table)
		}
	}
	for _, role := range everyRole {
		if role != migrations.DevRole && !slices.ContainsFunc(needs, func(n string) bool { return !may[string(role)+n] }) {
			return
		}
	}
	if !slices.Contains(nobodys, name) {
		slices.Sort(needs)
		t.Errorf("%s: no role may%s", name, strings.Join(slices.Compact(needs), ","))
	}
}
