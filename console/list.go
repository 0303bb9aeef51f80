package console

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"causeway/pay"
	"causeway/store"
)

const (
	perPage   = 50
	inFile    = 10_000 // rows of a CSV
	fileTypes = "text/csv; charset=utf-8"
)

// limit is how many rows are wanted: a page, and one more, which tells that there is another page; or a file.
func (v *visit) limit() int {
	if v.all {
		return inFile
	}
	return perPage + 1
}

// ask answers a parameter of the address.
func (v *visit) ask(name string) string { return clean(v.URL.Query().Get(name)) }

// clean takes out of a text what no value of ours has, and what the database would refuse.
func clean(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", ""))
}

// paged makes a table of rows that were read with limit. Key answers what the next page goes on below.
func (v *visit) paged(columns []column, rows [][]cell, key func(row int) string) *table {
	t := &table{Columns: columns, Rows: rows, Here: v.URL.Path}
	q := v.URL.Query()
	if q.Has("below") {
		t.First = v.with(q, "below", "")
	}
	if !v.all && len(rows) > perPage {
		t.Rows = rows[:perPage]
		t.Next = v.with(q, "below", key(perPage-1))
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
	f := store.AcrossFilter{Merchant: id(v.ask("merchant")), Network: v.ask("network"), Token: v.ask("token"), Before: id(v.ask("below")), Limit: v.limit()}
	if status := v.ask("status"); status != "" {
		f.Statuses = []string{status}
	}
	if f.Merchant == uuid.Nil && v.ask("merchant") != "" {
		f.Merchant = uuid.Max // nobody's
	}
	return f
}

// names answers the names of the merchants of rows.
func names[T any](v *visit, rows []T, of func(*T) uuid.UUID) (map[uuid.UUID]string, error) {
	var ids []uuid.UUID
	for i := range rows {
		if m := of(&rows[i]); !slices.Contains(ids, m) {
			ids = append(ids, m)
		}
	}
	return v.Store.MerchantNames(v.Context(), ids)
}

// formula is how a cell begins that a spreadsheet would compute.
var formula = regexp.MustCompile(`^[=+@\t\r]|^-[^0-9.]`)

// writeCSV answers a page's list as a file.
func writeCSV(w http.ResponseWriter, p *page) {
	w.Header().Set("Content-Type", fileTypes)
	w.Header().Set("Content-Disposition", `attachment; filename="`+strings.ToLower(strings.ReplaceAll(p.Title, " ", "-"))+`.csv"`)
	out := csv.NewWriter(w)
	line := make([]string, len(p.List.Columns))
	for i, c := range p.List.Columns {
		line[i] = c.Name
	}
	_ = out.Write(line) // the client has gone
	for _, row := range p.List.Rows {
		for i, c := range row {
			line[i] = c.Text
			if c.Full != "" {
				line[i] = c.Full
			}
			if formula.MatchString(line[i]) {
				line[i] = "'" + line[i]
			}
		}
		_ = out.Write(line)
	}
	out.Flush()
}
