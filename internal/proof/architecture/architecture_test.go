// Package architecture tests which of our packages may import which others.
// docs/architecture.md has the same table, with the job of each package; the two
// change together.
package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "causeway/"

// table says for each package which others of ours it may import. A package
// without a row of its own follows the row of the folder it is in, and may
// import its neighbours there.
var table = map[string][]string{
	"pay":        {},
	"vault":      {},
	"devstack":   {},
	"migrations": {},
	"gather":     {},
	"redispipe":  {"gather"},
	"ledger":     {"pay"},
	"store":      {"pay", "vault"},
	"tasks":      {"redispipe"},
	"pricing":    {"pay"},
	"webhooks":   {"pay"},
	"openapi":    {},
	"qr":         {},
	"sheets":     {},
	"pages":      {},
	"client":     {},
	"api":        {"gather", "redispipe", "openapi", "pay", "tasks", "store", "ledger", "pricing", "webhooks", "vault", "sheets"},
	"workers":    {"pay", "gather", "tasks", "store", "ledger", "chains", "pricing", "webhooks", "vault"},
	"scheduler":  {"tasks", "store"},
	"admin":      {"pay", "tasks", "store", "ledger", "pricing", "webhooks", "vault"},
	"operator":   {"tasks", "store", "admin", "pages"},
	"console":    {"pay", "store", "ledger", "vault", "admin", "pages", "qr", "sheets"},
	"checkout":   {"pay", "gather", "store", "pricing", "pages", "qr"},
	"docsite":    {"docs/guides", "pages"},

	"chains":           {"pay", "chains/addresses"},
	"chains/addresses": {"pay"},
	"chains/seed":      {"chains/addresses"},
	"chains/chaintest": {"chains"},
	// A network family is a folder of its own that could be deleted: it knows the
	// contract and the address formats, and no other family.
	"chains/*": {"pay", "gather", "chains", "chains/addresses"},

	// The parts of the binary: the one that wires them together knows them all, and none of them knows it.
	"internal/cli/settings": {"pay", "pricing", "vault", "chains/evm", "api"},
	"internal/cli/screen":   {},
	"internal/cli/connect":  {"vault", "store", "migrations", "internal/cli/settings", "internal/cli/screen"},
	"internal/cli/command":  {"admin", "internal/cli/settings", "internal/cli/screen"},
	"internal/cli/admincmd": {"pay", "store", "admin", "workers", "chains/seed", "chains/evm", "internal/cli/settings", "internal/cli/connect",
		"internal/cli/command"},
	"internal/cli/integratorcmd": {"pay", "store", "vault", "webhooks", "client", "chains/sandbox", "internal/cli/settings",
		"internal/cli/screen", "internal/cli/connect", "internal/cli/command"},
	"internal/cli/completion":  {"pay", "tasks", "chains/sandbox", "admin", "internal/cli/command"},
	"internal/cli/manual":      {"internal/cli/settings", "internal/cli/command"},
	"internal/cli/commandtest": {"*"},

	"docs/guides":                  {},
	"cmd/causeway":                 {"*"},
	"bench":                        {"*"},
	"internal/proof/torture":       {"*"},
	"internal/dev/testkit":         {"*"},
	"internal/proof/contract":      {},
	"internal/dev/anvil":           {"chains/evm"},
	"internal/dev/browser":         {},
	"internal/proof/architecture":  {},
	"internal/proof/contracttable": {},
	"internal/proof/simulation":    {},
	"internal/proof/mutants":       {},
	"docs":                         {},
	"deploy":                       {},
}

// forTests are imported by test files, and by each other, only.
var forTests = []string{"internal/dev/testkit", "internal/proof/contract", "internal/dev/anvil", "internal/dev/browser", "chains/chaintest", "internal/cli/commandtest"}

// vague are names that say nothing about what is in a package.
var vague = []string{"util", "utils", "common", "helpers", "models", "services", "pkg", "misc", "shared"}

func TestImportsFollowTheTable(t *testing.T) {
	t.Parallel()
	packages := readPackages(t)
	if len(packages) < 5 {
		t.Fatalf("found only %d packages", len(packages))
	}
	for _, breach := range append(breaches(packages), unused(packages)...) {
		t.Error(breach)
	}
}

func TestBreachesAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to string
		refused  bool
	}{
		"down the table":                {"api", "store", false},
		"the fronts never meet":         {"api", "workers", true},
		"up the table":                  {"store", "api", true},
		"a package without a row":       {"orders", "pay", true},
		"a vague name":                  {"pay/util", "pay", true},
		"a subpackage, its package":     {"webhooks/guard", "webhooks", false},
		"a package, its subpackage":     {"chains/evm", "chains/evm/client", false},
		"a subpackage of another":       {"api", "chains/evm", true},
		"a family, the address formats": {"chains/evm", "chains/addresses", false},
		"a family, another family":      {"chains/evm", "chains/utxo", true},
		"the contract, a family":        {"chains", "chains/evm", true},
		"workers, a family":             {"workers", "chains/evm", true},
		"the payers' page, keys":        {"checkout", "vault", true},
		"the payers' page, the front":   {"checkout", "api", true},
		"the console, the port":         {"console", "operator", true},
		"the console, the workers":      {"console", "workers", true},
		"wiring":                        {"cmd/causeway", "chains/evm", false},
		"a command, the wiring":         {"internal/cli/integratorcmd", "cmd/causeway", true},
		"settings, commands":            {"internal/cli/settings", "internal/cli/command", true},
		"test support outside tests":    {"cmd/causeway", "internal/dev/testkit", true},
		"test support, test support":    {"internal/cli/commandtest", "internal/dev/testkit", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := breaches(map[string][]string{c.from: {c.to}})
			if refused := len(found) > 0; refused != c.refused {
				t.Errorf("%s imports %s: breaches %q", c.from, c.to, found)
			}
		})
	}
}

func TestUnusedPermissionsAreFound(t *testing.T) {
	t.Parallel()
	const permission = "ledger may import pay, and does not"
	for imports, found := range map[string]bool{"pay": false, "pay/amounts": false, "vault": true} {
		if got := unused(map[string][]string{"ledger": {imports}}); slices.Contains(got, permission) != found {
			t.Errorf("ledger imports %s: unused %q", imports, got)
		}
	}
}

// breaches lists what is against the rules in packages and their imports.
func breaches(packages map[string][]string) []string {
	var found []string
	for _, from := range slices.Sorted(maps.Keys(packages)) {
		for _, part := range strings.Split(from, "/") {
			if slices.Contains(vague, part) {
				found = append(found, from+" has a name that says nothing")
			}
		}
		owner, allowed := rowOf(from)
		if owner == "" {
			found = append(found, from+" has no row in the table")
			continue
		}
		for _, to := range packages[from] {
			if slices.Contains(forTests, to) && !slices.Contains(forTests, from) {
				found = append(found, from+" imports "+to+", which is for test files")
			} else if !mayImport(owner, allowed, to) {
				found = append(found, from+" may not import "+to)
			}
		}
	}
	return found
}

// unused lists which imports the table allows that no package of the row makes.
func unused(packages map[string][]string) []string {
	made := map[string][]string{} // by row
	for from, imports := range packages {
		row, _ := rowOf(from)
		if strings.HasPrefix(row, "chains/") && table[row] == nil {
			row = "chains/*"
		}
		for _, to := range imports {
			target, _ := rowOf(to)
			made[row] = append(made[row], target)
		}
	}
	var found []string
	for _, row := range slices.Sorted(maps.Keys(table)) {
		for _, to := range table[row] {
			if to != "*" && !slices.Contains(made[row], to) {
				found = append(found, row+" may import "+to+", and does not")
			}
		}
	}
	return found
}

func mayImport(owner string, allowed []string, to string) bool {
	if slices.Contains(allowed, "*") || slices.Contains(allowed, to) {
		return true
	}
	target, _ := rowOf(to)
	return target == owner || slices.Contains(allowed, target)
}

// rowOf returns the package whose row name follows, and the imports that this row allows; "" if there is none.
func rowOf(name string) (string, []string) {
	if family, ok := strings.CutPrefix(name, "chains/"); ok && table[name] == nil {
		family, _, _ = strings.Cut(family, "/")
		return "chains/" + family, table["chains/*"]
	}
	for owner := name; owner != "."; owner = filepath.Dir(owner) {
		if allowed, ok := table[owner]; ok {
			return owner, allowed
		}
	}
	return "", nil
}

// readPackages reads, for every package of the module, which of ours its files
// import, whatever system they are built for; of test files only that they are there.
func readPackages(t *testing.T) map[string][]string {
	t.Helper()
	const root = "../.."
	packages := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "tools") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		var imports []string
		if !strings.HasSuffix(name, "_test.go") {
			imports, err = ownImports(path)
		}
		packages[filepath.ToSlash(folder)] = append(packages[filepath.ToSlash(folder)], imports...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

func ownImports(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if own, ok := strings.CutPrefix(name, module); ok {
			names = append(names, own)
		}
	}
	return names, nil
}
