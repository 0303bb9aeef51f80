package architecture

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The table in docs/architecture.md and the table here say the same of every package.
func TestDocument(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	document := readTable(string(content))
	packages := readPackages(t)
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		owner, allowed := rowOf(name)
		if owner == "" {
			continue // TestImportsFollowTheTable says so
		}
		if written, ok := document[owner]; !ok {
			t.Errorf("docs/architecture.md has no row of %s", owner)
		} else if !slices.Equal(slices.Sorted(slices.Values(written)), slices.Sorted(slices.Values(allowed))) {
			t.Errorf("%s may import %q by docs/architecture.md, %q by the test", owner, written, allowed)
		}
	}
	for name := range document {
		if _, ok := packages[name]; !ok {
			t.Errorf("docs/architecture.md has a row of %s, which is no package", name)
		}
	}
}

// readTable reads the rows of packages: their names in the first column, the packages they may import in the third.
func readTable(document string) map[string][]string {
	_, document, _ = strings.Cut(document, "\n| package |")
	document, _, _ = strings.Cut(document, "\n\n")
	allowedOf := map[string][]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (`+"`.+?`"+`) \|.*\| *(.*?) *\|$`).FindAllStringSubmatch(document, -1) {
		imports, _, _ := strings.Cut(row[2], "; ")
		var allowed []string
		switch imports {
		case "everything", "anything":
			allowed = []string{"*"}
		case "", "nothing":
		default:
			allowed = strings.Split(imports, ", ")
		}
		for name := range strings.SplitSeq(row[1], ", ") {
			allowedOf[strings.Trim(name, "`")] = allowed
		}
	}
	return allowedOf
}
