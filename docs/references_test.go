// Package docs is the project's documentation, and the tests to keep it true to the code.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A comment says where a rule comes from, as in "addendum §6". Each such place must be there.
func TestReferencesResolve(t *testing.T) {
	t.Parallel()
	headings := map[string][]string{}
	for _, name := range []string{"api-v1", "addendum", "operator"} {
		headings[name] = append(readHeadings(t, "spec/"+name+".md"), name) // the part before the first heading
	}
	reference := regexp.MustCompile(`(?:^|[^\w.])(api-v1|addendum|operator) §(\d+|[A-Za-z][^\n.;,:()]*)`)
	count := 0
	walk(t, func(path, content string) {
		for _, found := range reference.FindAllStringSubmatch(content, -1) {
			count++
			if !resolves(headings[found[1]], found[2]) {
				t.Errorf("%s refers to %s §%s", path, found[1], found[2])
			}
		}
	})
	if count < 100 {
		t.Errorf("found only %d references", count)
	}
}

// If a comment names a document, as in "docs/internals.md §Ledger", the document exists, with such a heading.
func TestNamedDocumentsAreThere(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`\bdocs/([a-z0-9/-]+\.md)(?: §([A-Za-z][^\n.;,:()]*))?`)
	count := 0
	walk(t, func(path, content string) {
		for _, found := range named.FindAllStringSubmatch(content, -1) {
			count++
			if _, err := os.Stat(found[1]); err != nil {
				t.Errorf("%s: %v", path, err)
			} else if found[2] != "" && !resolves(readHeadings(t, found[1]), found[2]) {
				t.Errorf("%s refers to docs/%s §%s", path, found[1], found[2])
			}
		}
	})
	if count < 10 {
		t.Errorf("found only %d names of documents", count)
	}
}

// resolves reports whether a text begins with a heading; more words may follow it in a sentence. Numbers are whole.
func resolves(headings []string, text string) bool {
	for _, h := range headings {
		if text == h || strings.HasPrefix(text, h+" ") || strings.HasPrefix(text, h+"\"") {
			return true
		}
	}
	return false
}

// readHeadings reads the text after # signs, without a remark in brackets. A path may be named without its parameter, a
// numbered heading by its number.
func readHeadings(t *testing.T, path string) []string {
	t.Helper()
	var out []string
	for _, found := range regexp.MustCompile(`(?m)^#{2,} (?:(\d+)\. )?(.+?)(?: \(.*\))?$`).FindAllStringSubmatch(read(t, path), -1) {
		path, _, _ := strings.Cut(found[2], "/{")
		out = append(out, found[2], path)
		if found[1] != "" {
			out = append(out, found[1])
		}
	}
	return out
}

// Links between the documents lead to existing files.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	for _, pattern := range []string{"*.md", "spec/*.md", "decisions/*.md", "../*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 && pattern != "*.md" {
			t.Fatalf("%s: %d documents, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			for _, found := range link.FindAllStringSubmatch(read(t, path), -1) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(path), found[1])); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
	}
}

// A link to a part of a document leads to a heading of it, under its name on a page.
func TestAnchorsResolve(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:]*)#([^)]+)\)`)
	count := 0
	for _, pattern := range []string{"*.md", "spec/*.md", "decisions/*.md", "../*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			for _, found := range link.FindAllStringSubmatch(read(t, path), -1) {
				to := path
				if found[1] != "" {
					to = filepath.Join(filepath.Dir(path), found[1])
				}
				if count++; !slices.Contains(anchors(read(t, to)), found[2]) {
					t.Errorf("%s: %s has no part #%s", path, to, found[2])
				}
			}
		}
	}
	if count < 50 {
		t.Errorf("found only %d links to parts of documents", count)
	}
}

// anchors returns the names of a document's headings: in small letters, without punctuation, with a hyphen for each space.
func anchors(document string) (out []string) {
	for _, found := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(document, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(found[1]), "")
		out = append(out, strings.ReplaceAll(name, " ", "-"))
	}
	return out
}

func walk(t *testing.T, visit func(path, content string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != ".." && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".sql") {
			visit(path, read(t, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
