package architecture

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each row of docs/architecture.md is of an existing package.
func TestDocument(t *testing.T) {
	t.Parallel()
	packages := readPackages(t)
	for name := range table {
		if _, ok := packages[name]; !ok && !strings.HasSuffix(name, "/*") {
			t.Errorf("docs/architecture.md has a row of %s, which is no package", name)
		}
	}
}

var rowPattern = regexp.MustCompile("(?m)^\\| (`.+?`) \\|.*\\| *(.*?) *\\|$")

// readTable reads the rows of docs/architecture.md: the packages in the first column, the packages they may import in the third.
// The third column may name a package by its last word.
func readTable() map[string][]string {
	content, err := os.ReadFile(root + "/docs/architecture.md")
	if err != nil {
		panic(err)
	}
	rows := map[string]string{}
	for _, row := range rowPattern.FindAllStringSubmatch(string(content), -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			rows[strings.Trim(name, "`")] = row[2]
		}
	}
	full := map[string]string{}
	for name := range rows {
		full[name], full[path.Base(name)] = name, name
	}
	allowed := map[string][]string{}
	for name, column := range rows {
		allowed[name] = readImports(column, full)
	}
	return allowed
}

// readImports reads the third column of a row: packages, "everything" or "nothing".
func readImports(column string, full map[string]string) []string {
	switch column {
	case "everything":
		return []string{"*"}
	case "":
		return nil
	}
	names := strings.Split(column, ", ")
	for i, name := range names {
		if known, ok := full[name]; ok {
			names[i] = known
		}
	}
	slices.Sort(names)
	return names
}
