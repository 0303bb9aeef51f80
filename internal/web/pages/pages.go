// Package pages is the common part of everything people read in a browser: the head of a page, its styles and scripts at
// addresses that name their content, headers that let nothing else in, and an answer of a whole page or none. Pages work
// without scripts, and ours only add to them (docs/decisions/0020-pages-without-htmx.md).
package pages

import (
	"bytes"
	"cmp"
	"embed"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"path"
)

// folder is where a room keeps its templates, styles and scripts.
const folder = "pages"

//go:embed pages
var own embed.FS

// Set is the pages of one room: its templates, and their styles and scripts.
type Set struct {
	files     []fs.FS
	prefix    string
	templates *template.Template
}

// New reads the folder pages of files, and of the files shared with other rooms; an unreadable template is a panic. In templates {{file "x.css"}} is the address
// of a style or script, after prefix, and {{template "meta"}} the beginning of every head.
func New(files fs.FS, prefix string, functions template.FuncMap, shared ...fs.FS) *Set {
	s := &Set{files: append([]fs.FS{files}, shared...), prefix: prefix}
	s.templates = template.New("").Funcs(functions).Funcs(template.FuncMap{"file": s.Address})
	for _, from := range append([]fs.FS{own, files}, shared...) {
		template.Must(s.templates.ParseFS(from, folder+"/*.html"))
	}
	return s
}

// read returns the content of a style or script.
func (s *Set) read(name string) (content []byte, err error) {
	for _, from := range s.files {
		if content, err = fs.ReadFile(from, path.Join(folder, name)); err == nil {
			break
		}
	}
	return content, err
}

// Write sends a whole page. When it cannot be drawn, it has sent a 500, and the error says why.
func (s *Set) Write(w http.ResponseWriter, status int, name string, data any) error {
	var page bytes.Buffer
	if err := s.Execute(&page, name, data); err != nil {
		http.Error(w, "This page could not be written.", http.StatusInternalServerError)
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = page.WriteTo(w) // the reader has gone
	return nil
}

// Execute writes a template.
func (s *Set) Execute(out io.Writer, name string, data any) error {
	return s.templates.ExecuteTemplate(out, name, data)
}

// Where the forms of a page may be sent.
const (
	NoForms  = "'none'"
	OwnForms = "'self'"
)

// Guard sets headers letting a page use our own styles, scripts and answers, and nothing else. Nobody shows it in a frame,
// keeps it, or learns its address from a link on it.
func Guard(h http.Header, forms string) { GuardFramed(h, forms, "") }

// GuardFramed is Guard for a page in frames of these origins, with spaces between; "" is nobody.
func GuardFramed(h http.Header, forms, sites string) {
	guard(h, "style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:", forms, sites)
}

// GuardStill is Guard for pages without scripts. Of pictures they have the icon alone, of forms a search.
func GuardStill(h http.Header) { guard(h, "style-src 'self'; img-src data:", OwnForms, "") }

func guard(h http.Header, sources, forms, sites string) {
	h.Set("Content-Security-Policy", "default-src 'none'; "+sources+"; base-uri 'none'; form-action "+forms+"; frame-ancestors "+cmp.Or(sites, "'none'"))
	h.Set("X-Frame-Options", "DENY")
	if sites != "" {
		h.Del("X-Frame-Options") // it knows no list, and browsers obey the policy instead
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}
