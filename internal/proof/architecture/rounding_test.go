package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cutters are the methods of a decimal with fewer digits in the result.
var cutters = []string{"Ceil", "Div", "DivRound", "Floor", "Mod", "QuoRem", "Round", "RoundBank", "RoundCash", "RoundCeil", "RoundDown",
	"RoundFloor", "RoundUp", "Truncate"}

// mayCut are the packages with a right to cut amounts: the two computing them, connectors, since they know how fine a
// chain is, and the torture, since it computes the expected amounts for itself.
var mayCut = []string{"internal/pricing", "ledger", "chains", "internal/proof/torture"}

// cutOther are the files elsewhere cutting something else.
var cutOther = map[string]string{
	"internal/proof/bench/table.go":     "times",
	"internal/proof/bench/yardstick.go": "times",
	"internal/web/room/cells.go":        "dollars that are only read",
	"internal/ops/console/plots.go":     "times",
	"internal/dev/devstack/place.go":    "a file",
	"internal/store/samples.go":         "times",
}

// Amounts are cut where the rules for them stand (docs/architecture.md): a place of its own would round otherwise one day.
func TestOnlyPricingAndLedgerCutAmounts(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "tools") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		source, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, at := range cuts(source) {
			if file = filepath.ToSlash(file); cutOther[file] != "" {
				found[file] = true
			} else if !slices.ContainsFunc(mayCut, func(folder string) bool { return strings.HasPrefix(file, folder+"/") }) {
				t.Errorf("%s cuts or rounds: that belongs into pricing or ledger", strings.TrimPrefix(fset.Position(at).String(), root+"/"))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for file := range cutOther {
		if !found[file] {
			t.Errorf("%s cuts nothing: it need not be named", file)
		}
	}
}

func TestCutsAreFound(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		"x = amount.Truncate(8)":                  1,
		"x = p.Amount.Mul(price).RoundUp(places)": 1,
		"x, y = a.QuoRem(b, 8)":                   1,
		"x = math.Floor(y)":                       0,
		"x = amount.Shift(2).String()":            0,
	} {
		source, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\nfunc f() {\n"+body+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(cuts(source)); got != want {
			t.Errorf("%s has %d cuts, not %d", body, got, want)
		}
	}
}

// cuts returns where a file calls one of the cutters on a value.
func cuts(file *ast.File) (at []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains(cutters, method.Sel.Name) {
			return true
		}
		if of, ok := method.X.(*ast.Ident); !ok || of.Name != "math" {
			at = append(at, method.Sel.Pos())
		}
		return true
	})
	return at
}
