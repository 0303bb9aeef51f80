package console

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"causeway/internal/pay"
	"causeway/internal/web/sheets"
)

// taking is how long a client may take over one piece of a file.
const taking = time.Minute

// export answers a whole list as CSV, beginning with the page already read. Each piece is read by a statement of its own, below the
// last row of the one before, and sent before the next: neither memory nor a statement grows with the list. An error in between
// breaks the transfer off: no client takes a part for the whole.
func (c *Console) export(w http.ResponseWriter, r *http.Request, p *page, make pageFunc) {
	w.Header().Set("Content-Type", sheets.Type)
	w.Header().Set("Content-Disposition", `attachment; filename="`+strings.ToLower(strings.ReplaceAll(p.Title, " ", "-"))+`.csv"`)
	var out bytes.Buffer
	control := http.NewResponseController(w)
	if r.URL.Query().Get("bom") == "1" {
		out.WriteString(sheets.BOM)
	}
	sheets.Write(&out, p.List.File.Columns)
	for {
		_ = control.SetWriteDeadline(time.Now().Add(taking)) // as far as there is one
		for _, line := range p.List.File.Lines {
			sheets.Write(&out, line)
		}
		if _, err := out.WriteTo(w); err != nil {
			return // the client has gone
		}
		if p.List.Rest == "" {
			_ = control.SetWriteDeadline(time.Time{})
			return
		}
		var err error
		if p, err = c.piece(r, p.List.Rest, make); err != nil {
			c.brokenOff(r, err)
			panic(http.ErrAbortHandler)
		}
	}
}

// brokenOff logs a file without its end: a warning, unless its client has hung up.
func (c *Console) brokenOff(r *http.Request, err error) {
	log := c.Log.WithError(err).WithField("path", r.URL.Path)
	if errors.Is(r.Context().Err(), context.Canceled) {
		log.Debug("the client hung up")
		return
	}
	log.Warn("a file was broken off")
}

// piece reads a file's rows below a row, for somebody still logged in.
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
	v.All, v.After = true, below
	p, err := make(v)
	if err == nil && v.Wrong != "" {
		err = errors.New(v.Wrong)
	}
	return p, err
}
