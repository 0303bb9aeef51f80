package room

import "causeway/internal/web/qr"

// Page is one page: a title and the parts below it.
type Page struct {
	Title   string
	Section string // of the menu
	Up      *Link  // where it belongs
	Tags    []Cell
	Parts   []Part
	Live    bool // it keeps itself up to date while it is looked at

	Visit any    // of the person looking, for the frame around the parts
	CSRF  string // of every form
	At    string // the page's own address
	Menu  []Group
	Flash *Flash
	List  *Table // of a page with a list: the rows for CSV
}

// Link leads somewhere; without an address it is where the reader stands.
type Link struct{ Text, Href string }

// Group is a few entries of the menu.
type Group struct {
	Name    string
	Entries []Entry
}

// Entry is one entry of the menu.
type Entry struct {
	Text, Href string
	Here       bool
	Count      int64 // how many wait there
}

// Part is one piece of a page, shown in the order of its fields.
type Part struct {
	Heading  string
	Note     string
	Mood     string // of the note: good, warn or bad
	Items    []string
	Troubles any // with What, Do and Page each
	Figures  []Figure
	Charts   []Chart
	Facts    []Fact
	Table    *Table
	Forms    []Form
	Secrets  []Fact // shown this once
	Code     *qr.Code
	Links    []Link
	Half     bool // beside the next one where there is room
	Tall     bool // as high as two beside it
}

// Figure is one number for a glance to find.
type Figure struct {
	Value, Label, Href string
	Mood               string
}

// Fact is a value with its name.
type Fact struct {
	Name string
	Cell
}

// Cell is one value: its text, and how it is shown.
type Cell struct {
	Text  string
	Full  string // the text to copy when Text is short for it
	Href  string
	Mood  string // a pill: good, warn, bad or idle
	Sub   string // smaller, below
	Copy  bool
	Mono  bool
	Forms []Form
}

// Table is rows under columns. Next is the address of the page after it.
type Table struct {
	Columns []Column
	Rows    [][]Cell
	Empty   string // the next step when there are none
	Filter  []Field
	Here    string // the page's own address, without its query
	Next    string
	First   string // back to the first page
	Rest    string // the last row before the next page, or before the next piece of a file
	CSV     string
	File    *Sheet // the content of the CSV
}

// Column heads the cells below it.
type Column struct {
	Name  string
	Right bool
	Wide  bool // left out where there is little room
}

// Form is an act offered here.
type Form struct {
	Action  string
	Verb    string
	Fields  []Field
	Note    string
	Confirm string // asked before it is done
	Danger  bool
	Quiet   bool
	File    bool   // a field of it is a file
	Back    string // where to go on afterwards; empty is the page itself
	Other   Option // another button: it sends its value as "do", and required fields may be empty; empty for none
}

// Field is one input.
type Field struct {
	Name, Label, Value string
	Kind               string // text, date, password, select, hidden, check, checks: several values, row: the fields of Row, user: a name for password managers, or passkey: a challenge or its address
	Row                []Field
	Options            []Option
	Hint               string
	Required           bool
	Auto               string // autocomplete
}

// Option is one of the values of a field.
type Option struct {
	Value, Text string
	Chosen      bool
}

// Flash is the result of the last act.
type Flash struct{ Mood, Text string }
