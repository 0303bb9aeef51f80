package room

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"causeway/internal/web/sheets"
)

// taking is how long a client may take over one piece of a file.
const taking = time.Minute

// Export answers a whole list as CSV, beginning with the page already read. Each piece is read by a statement of its own, below the
// last row of the one before, and sent before the next: neither memory nor a statement grows with the list. With an error the file has
// no end: the caller breaks the transfer off, so no client takes a part for the whole. A client that has gone is no error.
func Export(w http.ResponseWriter, r *http.Request, p *Page, next func(below string) (*Page, error)) error {
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
			return nil //nolint:nilerr // the client has gone
		}
		if p.List.Rest == "" {
			_ = control.SetWriteDeadline(time.Time{})
			return nil
		}
		var err error
		if p, err = next(p.List.Rest); err != nil {
			return err
		}
	}
}
