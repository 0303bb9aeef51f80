package console

import (
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"causeway/pay"
	"causeway/store"
)

const (
	perPage  = 50
	perPiece = 500 // rows of a file that are read at a time
)

// size is how many rows a page has, or a piece of a file.
func (v *visit) size() int {
	if v.all {
		return perPiece
	}
	return perPage
}

// limit is how many rows are read: one more than there is room for tells that more follow.
func (v *visit) limit() int { return v.size() + 1 }

// below names the row that a list goes on after; empty is its beginning.
func (v *visit) below() string {
	if v.all {
		return v.after
	}
	return v.ask("below")
}

// ask returns a parameter of the address.
func (v *visit) ask(name string) string { return clean(v.URL.Query().Get(name)) }

// clean takes out of a text what no value of ours has, and what the database would refuse.
func clean(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", ""))
}

// fitting keeps of what was read with limit what there is room for, and names the row that the rest is below, if there is a rest.
func fitting[T any](v *visit, read []T, key func(*T) string) (rows []T, rest string) {
	if len(read) <= v.size() {
		return read, ""
	}
	rows = read[:v.size()]
	return rows, key(&rows[len(rows)-1])
}

// paged makes a table of a page; rest names the row that the next page goes on below, if there is one.
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

// choice is a filter of a few values.
func (v *visit) choice(name, label string, values ...string) field {
	f := field{Name: name, Label: label, Kind: "select", Options: []option{{Value: "", Text: "any"}}}
	for _, value := range values {
		f.Options = append(f.Options, option{Value: value, Text: strings.ToLower(strings.TrimPrefix(value, "STATUS_")), Chosen: v.ask(name) == value})
	}
	return f
}

// networks is a filter by network.
func (v *visit) networks() field {
	f := field{Name: "network", Label: "Network", Kind: "select", Options: []option{{Value: "", Text: "any"}}}
	for _, n := range pay.Networks {
		f.Options = append(f.Options, option{Value: n.Name, Text: n.Name, Chosen: v.ask("network") == n.Name})
	}
	return f
}

// ofMerchant keeps the filter of one merchant while others are chosen.
func (v *visit) ofMerchant() field {
	return field{Name: "merchant", Label: "Merchant id", Kind: "text", Value: v.ask("merchant")}
}

// filter reads what is asked for of a list across merchants. What there is not, nothing has.
func (v *visit) filter() store.AcrossFilter {
	f := store.AcrossFilter{Merchant: v.merchantAsked(), Network: v.ask("network"), Token: v.ask("token"), Before: id(v.below()), Limit: v.limit()}
	if status := v.ask("status"); status != "" {
		f.Statuses = []string{status}
	}
	return f
}

// merchantAsked is whose rows are asked for; without the parameter everybody's.
func (v *visit) merchantAsked() uuid.UUID {
	asked := v.ask("merchant")
	if m := id(asked); m != uuid.Nil || asked == "" {
		return m
	}
	return uuid.Max // nobody's
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
