package contracttable

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"causeway/api"
)

var page = flag.String("page", "", "write the table to this file; `make contract` does")

// coverage is the contract's sentences with the tests of each.
type coverage struct {
	sentences []*sentence
	tests     map[*sentence][]string
	silent    map[*sentence]string // why no test can cover it
}

// measure also fails the test for markers meaning no sentence, or more than one.
func measure(t *testing.T) *coverage {
	t.Helper()
	c := &coverage{readSentences(t), map[*sentence][]string{}, map[*sentence]string{}}
	for _, m := range readMarkers(t) {
		found := named(c.sentences, m.sentence)
		if len(found) != 1 {
			t.Errorf("%s: %q means %d sentences of docs/spec", m.place, m.sentence, len(found))
			continue
		}
		if !slices.Contains(c.tests[found[0]], m.test) {
			c.tests[found[0]] = append(c.tests[found[0]], m.test)
		}
	}
	c.silence(t)
	return c
}

func TestMarkersNameSentences(t *testing.T) {
	t.Parallel()
	if c := measure(t); len(c.sentences) < 300 || len(c.tests) < 100 {
		t.Errorf("%d sentences, %d of them covered: something is not read", len(c.sentences), len(c.tests))
	}
}

func TestEveryCodeIsProducedByATestOrNeverAnswered(t *testing.T) {
	t.Parallel()
	c := measure(t)
	never := map[[2]string]string{}
	for _, code := range api.Codes() {
		never[[2]string{code.Section, code.Code}] = code.Never
	}
	rows := 0
	for _, s := range c.sentences {
		if !s.codes {
			continue
		}
		rows++
		reason, known := never[[2]string{s.section, s.key}]
		switch tests := c.tests[s]; {
		case !known:
			t.Errorf("%s: %s is not in api.Codes", s.place(), s.key)
		case reason == "" && len(tests) == 0:
			t.Errorf("%s: %s has neither a test nor a reason why it is never answered", s.place(), s.key)
		case reason != "" && len(tests) > 0:
			t.Errorf("%s: %s is said to be never answered, and %v to cover it", s.place(), s.key, tests)
		}
	}
	if rows != len(never) {
		t.Errorf("docs/spec has %d codes, api.Codes %d", rows, len(never))
	}
}

func TestEverySentenceHasARow(t *testing.T) {
	t.Parallel()
	c := measure(t)
	table := c.page()
	for _, s := range c.sentences {
		if !strings.Contains(table, "| "+escaped.Replace(s.text)+" |") {
			t.Errorf("%s: the table lacks %q", s.place(), s.text)
		}
	}
	if *page == "" {
		return
	}
	if err := os.WriteFile(*page, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (c *coverage) page() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# The contract and its tests\n\nWritten by `make contract`: every sentence of docs/spec and the tests that say they cover it. "+
		"A test that names an error code fails unless it was answered with that code. %d of %d sentences are named by a test, and %d say nothing that a test could notice; of the %d error codes all that can be answered.\n",
		len(c.tests), len(c.sentences), len(c.silent), len(api.Codes()))
	c.neverAnswered(&out)
	place := ""
	for _, s := range c.sentences {
		if s.place() != place {
			place = s.place()
			fmt.Fprintf(&out, "\n## %s: %s\n\n| Sentence | Tests |\n| --- | --- |\n", s.document, s.title)
		}
		fmt.Fprintf(&out, "| %s | %s |\n", escaped.Replace(s.text), c.shown(s))
	}
	return out.String()
}

// shown returns the entry beside a sentence: its tests, or why it has none.
func (c *coverage) shown(s *sentence) string {
	if reason := c.silent[s]; reason != "" {
		return "Says no behaviour. " + reason
	}
	if s.codes && len(c.tests[s]) == 0 {
		return "Never answered, see above."
	}
	return strings.Join(slices.Sorted(slices.Values(c.tests[s])), ", ")
}

func (c *coverage) neverAnswered(out *strings.Builder) {
	out.WriteString("\n## Codes that are never answered\n\n| Table | Status | Code | Why |\n| --- | --- | --- | --- |\n")
	for _, code := range api.Codes() {
		if code.Never == "" {
			continue
		}
		status := "item"
		if code.Status != 0 {
			status = fmt.Sprint(code.Status)
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", code.Section, status, code.Code, code.Never)
	}
}

// escaped keeps a text from being read as Markdown's own.
var escaped = strings.NewReplacer("|", `\|`, "<", "&lt;")
