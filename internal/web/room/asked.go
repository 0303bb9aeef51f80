package room

import (
	"net/http"
	"net/url"
	"strings"
)

const (
	perPage  = 50
	perPiece = 500 // rows of a file read at a time
)

// Asked is a request for a page, or for a piece of a file with everything of a list.
type Asked struct {
	*http.Request
	All   bool   // everything is wanted, for a file
	After string // the last row before the piece of a file
	Wrong string // of the filter of a list
}

// Size is how many rows a page has, or a piece of a file.
func (v *Asked) Size() int {
	if v.All {
		return perPiece
	}
	return perPage
}

// Limit is how many rows are read: one more than there is room for, to see whether more follow.
func (v *Asked) Limit() int { return v.Size() + 1 }

// Below names the row before the list's next part; empty is its beginning.
func (v *Asked) Below() string {
	if v.All {
		return v.After
	}
	return v.Ask("below")
}

// Ask returns a parameter of the address.
func (v *Asked) Ask(name string) string { return Clean(v.URL.Query().Get(name)) }

// Clean takes NUL and invalid UTF-8 out of a text: no value of ours has them, and the database would refuse them.
func Clean(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", ""))
}

// Fitting keeps as many of the rows read with limit as there is room for. It names the last one of them if there are more.
func Fitting[T any](v *Asked, read []T, key func(*T) string) (rows []T, rest string) {
	if len(read) <= v.Size() {
		return read, ""
	}
	rows = read[:v.Size()]
	return rows, key(&rows[len(rows)-1])
}

// Paged makes a table of a page; rest names the last row before the next page, if there is one.
func (v *Asked) Paged(columns []Column, rows [][]Cell, rest string) *Table {
	t := &Table{Columns: columns, Rows: rows, Here: v.URL.Path, Rest: rest}
	q := v.URL.Query()
	if q.Has("below") {
		t.First = v.with(q, "below", "")
	}
	if rest != "" {
		t.Next = v.with(q, "below", rest)
	}
	q.Del("below")
	t.CSV = v.with(q, "format", "csv")
	return t
}

// with is the page's own address with another parameter.
func (v *Asked) with(q url.Values, name, value string) string {
	next := url.Values{}
	for k, values := range q {
		if len(values) > 0 && values[0] != "" {
			next.Set(k, values[0])
		}
	}
	next.Set(name, value)
	if value == "" {
		next.Del(name)
	}
	if len(next) == 0 {
		return v.URL.Path
	}
	return v.URL.Path + "?" + next.Encode()
}
