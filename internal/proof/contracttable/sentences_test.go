// Package contracttable writes a table for `make contract`: every sentence of the contract and the tests covering it.
// The sentences are those of docs/spec. The tests are found by a call of contract.Covers, or by a line such as "Covers
// api-v1 §Payin: pending" in the comment of a test.
//
//	go test ./internal/proof/contracttable -update
package contracttable

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const root = "../../../"

// documents are the parts of the contract, in their order.
var documents = []string{"api-v1", "addendum", "operator"}

// sentence is one statement of the contract: a row of a table, an item of a list, or a sentence of a paragraph.
type sentence struct {
	document string
	section  string // the heading; of a numbered one the number
	title    string // the heading in full
	key      string // the first cell of a row, or the number of an item
	text     string
	codes    bool // a row of a table of error codes
}

func (s *sentence) place() string { return s.document + " §" + s.section }

func readSentences(t *testing.T) (all []*sentence) {
	t.Helper()
	for _, name := range documents {
		text, err := os.ReadFile(root + "docs/spec/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		r := &reader{document: name}
		for line := range strings.Lines(string(text)) {
			r.line(strings.TrimSpace(line))
		}
		all = append(all, r.found...)
	}
	return all
}

// reader takes a document in, line by line.
type reader struct {
	document, section, title string
	fenced                   bool
	row                      int // of the present table, the heading included
	found                    []*sentence
}

var (
	numbered   = regexp.MustCompile(`^([0-9]+)\. (.*)$`)
	statements = regexp.MustCompile(`[^.]+(?:\.[^ ][^.]*)*(?:\.(?: |$)|$)`)
	codeName   = regexp.MustCompile(`\b[a-z0-9]+(?:_[a-z0-9]+)+\b`)
	remarks    = regexp.MustCompile(`\([^)]*\)`)
	links      = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

func (r *reader) line(line string) {
	if strings.HasPrefix(line, "```") {
		r.fenced = !r.fenced
		return
	}
	if !strings.HasPrefix(line, "|") {
		r.row = 0
	}
	switch {
	case line == "" || r.fenced:
	case strings.HasPrefix(line, "#"):
		r.title = strings.TrimLeft(line, "# ")
		r.section = r.title
		if number := numbered.FindStringSubmatch(r.title); number != nil {
			r.section = number[1]
		}
	case strings.HasPrefix(line, "|"):
		if r.row++; r.row > 2 {
			r.cells(strings.Split(strings.Trim(line, "| "), " | "))
		}
	case strings.HasPrefix(line, "- "):
		r.add("", line[2:], false)
	case numbered.MatchString(line):
		found := numbered.FindStringSubmatch(line)
		r.add(found[1], found[2], false)
	default:
		for _, statement := range statements.FindAllString(line, -1) {
			r.add("", strings.TrimSpace(statement), false)
		}
	}
}

// cells adds a row. One of a table of codes is a sentence for each of its codes.
func (r *reader) cells(cells []string) {
	if !r.ofCodes() {
		r.add(cells[0], strings.Join(cells, " · "), false)
		return
	}
	if r.section != "Payout item errors" {
		cells = cells[1:]
	}
	for _, code := range codeName.FindAllString(remarks.ReplaceAllString(cells[0], ""), -1) {
		r.add(code, code+": "+cells[len(cells)-1], true)
	}
}

func (r *reader) ofCodes() bool {
	return r.document == "api-v1" && (strings.HasSuffix(r.section, " errors") || r.section == "Authentication and access")
}

func (r *reader) add(key, text string, codes bool) {
	r.found = append(r.found, &sentence{r.document, r.section, r.title, plain(key), plain(text), codes})
}

func plain(text string) string {
	return strings.NewReplacer("`", "", "**", "").Replace(links.ReplaceAllString(text, "$1"))
}

// named returns the sentences meant by a marker: by key, or else by how they begin.
func named(all []*sentence, marker string) (found []*sentence) {
	var begun []*sentence
	for _, s := range all {
		beginning, here := strings.CutPrefix(marker, s.place()+": ")
		switch {
		case !here:
		case s.key == beginning:
			found = append(found, s)
		case strings.HasPrefix(s.text, plain(beginning)):
			begun = append(begun, s)
		}
	}
	if found == nil {
		return begun
	}
	return found
}
