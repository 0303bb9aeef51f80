package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The table of fuzz targets names each target of the module, for `make fuzz`, and no other; so does the table of their runs.
func TestFuzzTargetsAreNamed(t *testing.T) {
	t.Parallel()
	var targets, names []string
	declared := regexp.MustCompile(`(?m)^func (Fuzz[A-Za-z0-9]+)\(`)
	walk(t, func(file, content string) {
		for _, found := range declared.FindAllStringSubmatch(content, -1) {
			targets = append(targets, strings.TrimPrefix(filepath.Dir(file), "../")+" "+found[1])
			names = append(names, found[1])
		}
	})
	document := read(t, "hostile-input.md")
	var rows, runs []string
	for _, found := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` (Fuzz[A-Za-z0-9]+) \\|").FindAllStringSubmatch(document, -1) {
		rows = append(rows, found[1]+" "+found[2])
	}
	for _, found := range regexp.MustCompile(`(?m)^\| (Fuzz[A-Za-z0-9]+) \|`).FindAllStringSubmatch(document, -1) {
		runs = append(runs, found[1])
	}
	for _, list := range [][]string{targets, names, rows, runs} {
		slices.Sort(list)
	}
	if !slices.Equal(rows, targets) {
		t.Errorf("docs/hostile-input.md has targets\n%q, the module\n%q", rows, targets)
	}
	if !slices.Equal(runs, names) {
		t.Errorf("docs/hostile-input.md has runs of\n%q, the module\n%q", runs, names)
	}
}
