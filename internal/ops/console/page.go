package console

import (
	"embed"
	"html/template"
	"net/http"

	"causeway/internal/ops/admin"
	"causeway/internal/web/pages"
	"causeway/internal/web/qr"
)

//go:embed pages
var files embed.FS

// written are the pages of a console; in those of a sandbox beside live networks, sandbox is true.
func written(sandbox bool) *pages.Set {
	return pages.New(files, Prefix, template.FuncMap{"along": along, "sandbox": func() bool { return sandbox }})
}

// page is one page: a title and the parts below it.
type page struct {
	Title   string
	Section string // of the menu
	Up      *link  // where it belongs
	Tags    []cell
	Parts   []part
	Live    bool // it keeps itself up to date while it is looked at

	Visit *visit // of the operator looking
	Menu  []group
	Flash *flash
	List  *table // of a page with a list: the rows for CSV
}

type link struct{ Text, Href string }

// group is a few entries of the menu.
type group struct {
	Name    string
	Entries []entry
}

type entry struct {
	Text, Href string
	Here       bool
	Count      int64 // how many wait there
}

// part is one piece of a page, shown in the order of its fields.
type part struct {
	Heading  string
	Note     string
	Mood     string // of the note: good, warn or bad
	Items    []string
	Troubles []admin.Trouble
	Figures  []figure
	Charts   []chart
	Facts    []fact
	Table    *table
	Forms    []form
	Secrets  []fact // shown this once
	Code     *qr.Code
	Links    []link
	Half     bool // beside the next one where there is room
	Tall     bool // as high as two beside it
}

// figure is one number for a glance to find.
type figure struct {
	Value, Label, Href string
	Mood               string
}

type fact struct {
	Name string
	cell
}

// cell is one value: its text, and how it is shown.
type cell struct {
	Text  string
	Full  string // the text to copy when Text is short for it
	Href  string
	Mood  string // a pill: good, warn, bad or idle
	Sub   string // smaller, below
	Copy  bool
	Mono  bool
	Forms []form
}

// table is rows under columns. Next is the address of the page after it.
type table struct {
	Columns []column
	Rows    [][]cell
	Empty   string // the next step when there are none
	Filter  []field
	Here    string // the page's own address, without its query
	Next    string
	First   string // back to the first page
	rest    string // the last row before the next page, or before the next piece of a file
	CSV     string
	file    *sheet // the content of the CSV
}

type column struct {
	Name  string
	Right bool
	Wide  bool // left out where there is little room
}

// form is an act offered here.
type form struct {
	Action  string
	Verb    string
	Fields  []field
	Note    string
	Confirm string // asked before it is done
	Danger  bool
	Quiet   bool
	Back    string // where to go on afterwards; empty is the page itself
}

// field is one input.
type field struct {
	Name, Label, Value string
	Kind               string // text, date, password, select, hidden, check, checks: several values, or user: a name for password managers
	Options            []option
	Hint               string
	Required           bool
	Auto               string // autocomplete
}

type option struct {
	Value, Text string
	Chosen      bool
}

// flash is the result of the last act.
type flash struct{ Mood, Text string }

// withPage is a piece of a page together with the page.
type withPage struct {
	Page *page
	It   any
}

func along(p *page, it any) withPage { return withPage{p, it} }

func (c *Console) write(w http.ResponseWriter, status int, name string, data any) {
	if err := c.pages.Write(w, status, name, data); err != nil {
		c.Log.WithError(err).Error("a page could not be written")
	}
}
