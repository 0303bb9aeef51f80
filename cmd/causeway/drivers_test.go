package main

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
)

// TestEachConnectorCanBeRemoved: without one line of the list of drivers, and the folder of its family, the binary still has all that it imports.
func TestEachConnectorCanBeRemoved(t *testing.T) {
	t.Parallel()
	lines := driverLines(t)
	require.Len(t, lines, len(drivers), "each driver has a line of its own")
	for name, folder := range lines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gone := removed(t, name, folder)
			require.Empty(t, missing(t, gone), "without %s", folder)
		})
	}
}

// A family named elsewhere is not removed unnoticed.
func TestARemovedConnectorIsMissed(t *testing.T) {
	t.Parallel()
	for name, folder := range driverLines(t) {
		gone := removed(t, name, folder)
		delete(gone, absolute(t, "drivers.go"))
		require.Contains(t, missing(t, gone), "causeway/"+folder, "the list still has the line")
		return
	}
}

// TestDriversAreTheirOwn: no two drivers have one kind or one family, and each has the fields required of all.
func TestDriversAreTheirOwn(t *testing.T) {
	t.Parallel()
	var kinds []string
	var families []pay.Family
	for _, d := range drivers {
		require.NotEmpty(t, d.Kind)
		require.NotNil(t, d.Read, d.Kind)
		require.NotContains(t, kinds, d.Kind)
		kinds = append(kinds, d.Kind)
		for _, f := range d.Families {
			require.NotContains(t, families, f)
			require.True(t, slices.ContainsFunc(pay.Networks, func(n pay.Network) bool { return n.Family == f }), f)
			families = append(families, f)
		}
	}
}

// driverLines are the folders of the families in the list of drivers, by the name of their package.
func driverLines(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "drivers.go", nil, 0)
	must(t, err)
	imports := map[string]string{}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		must(t, err)
		imports[path.Base(name)] = strings.TrimPrefix(name, "causeway/")
	}
	lines := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if list, ok := n.(*ast.CompositeLit); ok {
			for _, element := range list.Elts {
				driver, ok := element.(*ast.SelectorExpr)
				require.True(t, ok, "a line of the list is PACKAGE.Driver,")
				name := driver.X.(*ast.Ident).Name //nolint:forcetypeassert // a selector in a list of values
				lines[name] = imports[name]
			}
		}
		return true
	})
	return lines
}

// removed is an overlay of the go command without a line of the list and without a folder.
func removed(t *testing.T, name, folder string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("drivers.go")
	must(t, err)
	var left []string
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, `"causeway/`+folder+`"`) && strings.TrimSpace(line) != name+".Driver," {
			left = append(left, line)
		}
	}
	require.NotContains(t, strings.Join(left, ""), name+".", "one line of the list names the package")
	list := filepath.Join(t.TempDir(), "drivers.go")
	must(t, os.WriteFile(list, []byte(strings.Join(left, "")), 0o600))
	gone := map[string]string{absolute(t, "drivers.go"): list}
	must(t, filepath.WalkDir(filepath.Join("..", "..", folder), func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			gone[absolute(t, file)] = ""
		}
		return err
	}))
	return gone
}

// missing returns what the go command says is not there of all that the binary imports under an overlay. Nothing is compiled: a package that
// nobody else imports is missed by nobody.
func missing(t *testing.T, overlay map[string]string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	must(t, err)
	file := filepath.Join(t.TempDir(), "overlay.json")
	must(t, os.WriteFile(file, text, 0o600))
	var said strings.Builder
	list := exec.CommandContext(context.WithoutCancel(t.Context()), "go", "list", "-deps", "-overlay", file, "causeway/cmd/causeway") // #nosec G204
	list.Stderr = &said
	if err := list.Run(); err != nil && said.Len() == 0 {
		t.Fatal(err)
	}
	return said.String()
}

func absolute(t *testing.T, file string) string {
	t.Helper()
	full, err := filepath.Abs(file)
	must(t, err)
	return full
}
