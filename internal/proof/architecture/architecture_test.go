// Package architecture tests the imports between our packages: docs/architecture.md
// has the table, with the job of each package.
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

// root is the folder of the module.
const root = "../../.."

// table says for each package the other packages of ours it may import, as docs/architecture.md has it. A package
// without a row of its own follows the row of the folder it is in, and may import its neighbours there.
var table = readTable()

// forTests are imported by test files, and by each other, only.
var forTests = []string{"internal/dev/testkit", "internal/dev/anvil", "internal/dev/browser", "internal/proof/contract",
	"chains/chaintest", "internal/cli/commandtest"}

// vague are names saying nothing about a package.
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
		"down the table":                {"api", "internal/store", false},
		"the fronts never meet":         {"api", "workers", true},
		"up the table":                  {"internal/store", "api", true},
		"a package without a row":       {"orders", "internal/pay", true},
		"a vague name":                  {"internal/pay/util", "internal/pay", true},
		"a subpackage, its package":     {"internal/webhooks/guard", "internal/webhooks", false},
		"a package, its subpackage":     {"chains/evm", "chains/evm/client", false},
		"a subpackage of another":       {"api", "chains/evm", true},
		"a family, the address formats": {"chains/evm", "chains/addresses", false},
		"a family, another family":      {"chains/evm", "chains/utxo", true},
		"the contract, a family":        {"chains", "chains/evm", true},
		"workers, a family":             {"workers", "chains/evm", true},
		"the payers' page, keys":        {"internal/web/checkout", "internal/vault", true},
		"the payers' page, the front":   {"internal/web/checkout", "api", true},
		"the console, the port":         {"internal/ops/console", "internal/ops/operator", true},
		"the console, the workers":      {"internal/ops/console", "workers", true},
		"workers, operators' acts":      {"workers/follow", "internal/ops/onchain", true},
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
	const permission = "ledger may import internal/pay, and does not"
	for imports, found := range map[string]bool{"internal/pay": false, "internal/pay/amounts": false, "internal/vault": true} {
		if got := unused(map[string][]string{"ledger": {imports}}); slices.Contains(got, permission) != found {
			t.Errorf("ledger imports %s: unused %q", imports, got)
		}
	}
}

// breaches lists the breaches of the rules by packages and their imports.
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

// unused lists the imports allowed by the table and made by no package of the row.
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

// rowOf returns the package with the row for name, and the imports allowed by this row; "" if there is none.
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

// readPackages reads, for every package of the module, the packages of ours its files
// import, for any system they are built for. Test files only count as being there.
func readPackages(t *testing.T) map[string][]string {
	t.Helper()
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
