package contracttable

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// marker is one sentence named by a test as covered.
type marker struct {
	sentence string
	test     string // package.Name
	place    string // file:line
}

// readMarkers reads those of every test of the module.
func readMarkers(t *testing.T) (all []marker) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && (strings.HasPrefix(name, ".") && path != root || name == "tools" || name == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		found, err := markersIn(path)
		all = append(all, found...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func markersIn(path string) (all []marker, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	for _, declaration := range file.Decls {
		test, ok := declaration.(*ast.FuncDecl)
		if !ok || !isTest(test.Name.Name) {
			continue
		}
		for _, said := range append(commented(test), called(test)...) {
			at := files.Position(test.Pos())
			all = append(all, marker{said, filepath.ToSlash(folder) + "." + test.Name.Name, at.Filename + ":" + strconv.Itoa(at.Line)})
		}
	}
	return all, nil
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}

// commented finds lines "Covers …" in the comment of a test.
func commented(test *ast.FuncDecl) (said []string) {
	for line := range strings.Lines(test.Doc.Text()) {
		if sentence, ok := strings.CutPrefix(strings.TrimSpace(line), "Covers "); ok {
			said = append(said, sentence)
		}
	}
	return said
}

// called finds the texts given to contract.Covers anywhere in a test.
func called(test *ast.FuncDecl) (said []string) {
	ast.Inspect(test, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		function, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || function.Sel.Name != "Covers" {
			return true
		}
		for _, argument := range call.Args[1:] {
			if text, ok := argument.(*ast.BasicLit); ok {
				if sentence, err := strconv.Unquote(text.Value); err == nil {
					said = append(said, sentence)
				}
			}
		}
		return true
	})
	return said
}
