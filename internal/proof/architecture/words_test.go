package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostClauses is how many that, which, who, whom, whose and what 100 words of comment may have. Libraries that read well have about 1.
const mostClauses = 1.5

var (
	word    = regexp.MustCompile(`[A-Za-z][A-Za-z'’-]*`)
	clauses = []string{"that", "which", "who", "whom", "whose", "what"}
)

// Comments are written in plain sentences (CONTRIBUTING.md §How it reads). Tests are not counted.
func TestCommentsArePlain(t *testing.T) {
	t.Parallel()
	words, hanging := 0, 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		w, h := countClauses(file.Comments)
		words, hanging = words+w, hanging+h
		return nil
	})
	if err != nil || words < 10_000 {
		t.Fatalf("%d words of comment: %v", words, err)
	}
	if share := 100 * float64(hanging) / float64(words); share > mostClauses {
		t.Errorf("100 words of comment have %.2f of %s: more than %.1f", share, strings.Join(clauses, ", "), mostClauses)
	}
}

func TestClausesAreCounted(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", "// Who says what is told.\npackage x\n\nvar y = `that` // which is\n", parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if words, hanging := countClauses(file.Comments); words != 7 || hanging != 3 {
		t.Errorf("%d words, %d clauses", words, hanging)
	}
}

func countClauses(comments []*ast.CommentGroup) (words, hanging int) {
	for _, group := range comments {
		for _, w := range word.FindAllString(group.Text(), -1) {
			words++
			if slices.Contains(clauses, strings.ToLower(w)) {
				hanging++
			}
		}
	}
	return words, hanging
}
