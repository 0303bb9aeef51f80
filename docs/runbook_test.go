package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An operator woken by an alert finds in docs/runbook.md its meaning and a link to the remedy, the waking ones first; no row
// is of a removed alert.
func TestEveryAlertIsExplained(t *testing.T) {
	t.Parallel()
	var pages, others []string
	for _, rule := range strings.Split(read(t, "../deploy/alerts.yml"), "- alert: ")[1:] {
		name, _, _ := strings.Cut(rule, "\n")
		if strings.Contains(rule, "severity: page") {
			pages = append(pages, name)
		} else {
			others = append(others, name)
		}
	}
	var waking, explained []string
	for _, row := range regexp.MustCompile(`(?m)^\| (Causeway\w+) \| (\*page\*\. )?[^|]+ \| \[[^|]+\]\(#[^|]+\) \|$`).
		FindAllStringSubmatch(read(t, "runbook.md"), -1) {
		if row[2] == "" {
			explained = append(explained, row[1])
			continue
		}
		if waking = append(waking, row[1]); len(explained) > 0 {
			t.Errorf("%s wakes, and stands behind %s, which does not", row[1], explained[0])
		}
	}
	for _, list := range [][]string{pages, others, waking, explained} {
		slices.Sort(list)
	}
	if len(pages) < 5 || !slices.Equal(pages, waking) {
		t.Errorf("the alerts that wake are %q, and explained are %q", pages, waking)
	}
	if len(others) < 5 || !slices.Equal(others, explained) {
		t.Errorf("the other alerts are %q, and explained are %q", others, explained)
	}
}

// Each line quoted by docs/runbook.md is written by the code; … stands for its varying parts.
func TestQuotedLinesAreWritten(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	walk(t, func(path, content string) {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			code.WriteString(content)
		}
	})
	written, count := code.String(), 0
	for _, row := range regexp.MustCompile(`(?m)^\| "([^|]+)" \|`).FindAllStringSubmatch(read(t, "runbook.md"), -1) {
		count++
		for part := range strings.SplitSeq(row[1], "…") {
			if part = strings.Trim(part, " ,.:"); !strings.Contains(written, part) {
				t.Errorf("no line has %q, as in %q", part, row[1])
			}
		}
	}
	if count < 30 {
		t.Errorf("found only %d quoted lines", count)
	}
}
