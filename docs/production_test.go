package docs

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// Whoever is woken by an alert finds in docs/production.md what it means and what to do; no row is of an alert that is gone.
func TestEveryAlertIsExplained(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../deploy/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("production.md")
	if err != nil {
		t.Fatal(err)
	}
	first := func(form string, text []byte) (out []string) {
		for _, found := range regexp.MustCompile(form).FindAllSubmatch(text, -1) {
			out = append(out, string(found[1]))
		}
		return out
	}
	alerts := first(`- alert: (\w+)`, rules)
	explained := first(`(?m)^\| (Causeway\w+) \| [^|]+ \| [^|]+ \|$`, guide)
	if len(alerts) < 10 || !slices.Equal(alerts, explained) {
		t.Errorf("the alerts are %q, and explained are %q", alerts, explained)
	}
}
