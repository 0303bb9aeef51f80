package architecture

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The table in docs/architecture.md says what the table here says, of every package.
func TestDocument(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	document := readTable(string(content))
	packages := readPackages(t)
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		room, allowed := roomOf(name)
		if room == "" {
			continue // TestWalls says so
		}
		if written, ok := document[room]; !ok {
			t.Errorf("docs/architecture.md has no row of %s", room)
		} else if !slices.Equal(slices.Sorted(slices.Values(written)), slices.Sorted(slices.Values(allowed))) {
			t.Errorf("%s may import %q by docs/architecture.md, %q by the test", room, written, allowed)
		}
	}
	for name := range document {
		if _, ok := packages[name]; !ok {
			t.Errorf("docs/architecture.md has a row of %s, which is no package", name)
		}
	}
}

// readTable reads the rows of rooms: names in the first column, and what they may import in the third.
func readTable(document string) map[string][]string {
	_, document, _ = strings.Cut(document, "\n| package |")
	document, _, _ = strings.Cut(document, "\n\n")
	rooms := map[string][]string{}
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
			rooms[strings.Trim(name, "`")] = allowed
		}
	}
	return rooms
}
