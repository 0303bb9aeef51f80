package console

import (
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
)

const (
	perPage  = 50
	perPiece = 500 // rows of a file read at a time
)

// size is how many rows a page has, or a piece of a file.
func (v *visit) size() int {
	if v.all {
		return perPiece
	}
	return perPage
}

// limit is how many rows are read: one more than there is room for, to see whether more follow.
func (v *visit) limit() int { return v.size() + 1 }

// below names the row before the list's next part; empty is its beginning.
func (v *visit) below() string {
	if v.all {
		return v.after
	}
	return v.ask("below")
}

// ask returns a parameter of the address.
func (v *visit) ask(name string) string { return clean(v.URL.Query().Get(name)) }

// clean takes NUL and invalid UTF-8 out of a text: no value of ours has them, and the database would refuse them.
func clean(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", ""))
}

// fitting keeps as many of the rows read with limit as there is room for. It names the last one of them if there are more.
func fitting[T any](v *visit, read []T, key func(*T) string) (rows []T, rest string) {
	if len(read) <= v.size() {
		return read, ""
	}
	rows = read[:v.size()]
	return rows, key(&rows[len(rows)-1])
}

// paged makes a table of a page; rest names the last row before the next page, if there is one.
func (v *visit) paged(columns []column, rows [][]cell, rest string) *table {
	t := &table{Columns: columns, Rows: rows, Here: v.URL.Path, rest: rest}
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
func (v *visit) with(q url.Values, name, value string) string {
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

// names returns the names of the merchants of rows.
func names[T any](v *visit, rows []T, of func(*T) uuid.UUID) (map[uuid.UUID]string, error) {
	var ids []uuid.UUID
	for i := range rows {
		if m := of(&rows[i]); !slices.Contains(ids, m) {
			ids = append(ids, m)
		}
	}
	return v.Store.MerchantNames(v.Context(), ids)
}
