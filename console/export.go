package console

import (
	"context"
	"encoding/csv"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"causeway/pay"
)

const fileTypes = "text/csv; charset=utf-8"

// taking is how long a client may take over one piece of a file.
const taking = time.Minute

// export answers a whole list as CSV, which begins with the page that was read. Each piece is read by a statement of its own,
// below the last row of the one before, and sent before the next: neither memory nor a statement grows with the list. What
// goes wrong in between breaks the transfer off, so that no client takes a part for the whole.
func (c *Console) export(w http.ResponseWriter, r *http.Request, p *page, make pageFunc) {
	w.Header().Set("Content-Type", fileTypes)
	w.Header().Set("Content-Disposition", `attachment; filename="`+strings.ToLower(strings.ReplaceAll(p.Title, " ", "-"))+`.csv"`)
	out, control := csv.NewWriter(w), http.NewResponseController(w)
	_ = out.Write(p.List.file.columns) // Flush tells
	for {
		_ = control.SetWriteDeadline(time.Now().Add(taking)) // as far as there is one
		writeLines(out, p.List.file.lines)
		if out.Flush(); out.Error() != nil {
			return // the client has gone
		}
		if p.List.rest == "" {
			_ = control.SetWriteDeadline(time.Time{})
			return
		}
		var err error
		if p, err = c.piece(r, p.List.rest, make); err != nil {
			c.brokenOff(r, err)
			panic(http.ErrAbortHandler)
		}
	}
}

// brokenOff logs that a file has no end: a warning, unless its client has hung up.
func (c *Console) brokenOff(r *http.Request, err error) {
	log := c.Log.WithError(err).WithField("path", r.URL.Path)
	if errors.Is(r.Context().Err(), context.Canceled) {
		log.Debug("the client hung up")
		return
	}
	log.Warn("a file was broken off")
}

// piece reads what a file has below a row, for somebody who is still logged in.
func (c *Console) piece(r *http.Request, below string, make pageFunc) (*page, error) {
	r, cancel := bounded(r)
	defer cancel()
	v, err := c.known(r)
	if err != nil {
		return nil, err
	}
	if !v.session.Passed {
		return nil, pay.ErrNotFound
	}
	v.all, v.after = true, below
	return make(v)
}

// formula is how a value begins that a spreadsheet would compute; a number below zero is none.
var formula = regexp.MustCompile(`^[=+@\t\r]|^-.*[^0-9.]`)

// formulaWithin is a formula in a value where a spreadsheet that separates by semicolons or tabs begins a cell.
var formulaWithin = regexp.MustCompile(`([;\t\r\n])([\p{Zs}"]*[=+@-])`)

// defused returns a value with an apostrophe before each formula, which makes it a text.
func defused(value string) string {
	if formula.MatchString(value) {
		value = "'" + value
	}
	return formulaWithin.ReplaceAllString(value, "$1'$2")
}

func writeLines(out *csv.Writer, lines [][]string) {
	for _, line := range lines {
		for i, value := range line {
			line[i] = defused(value)
		}
		_ = out.Write(line) // Flush tells
	}
}
