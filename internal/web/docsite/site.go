package docsite

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"causeway/internal/web/pages"
)

// Code is a row of the table of error codes (api-v1 §Errors).
type Code struct {
	Section string
	Status  int // 0 for the errors of payout items
	Code    string
	When    string
	Never   string // why it is never answered; empty when it can be
}

// Deps are the sources of the site's pages.
type Deps struct {
	Document     func() ([]byte, error) // the OpenAPI document
	Codes        []Code
	HeaderPrefix string // X-Service when empty (addendum §3)
	BaseURL      string // address of the API in examples; {base_url} when empty
}

// The paths of the site. Everything else of it is below Prefix.
const (
	Prefix  = "/docs"
	LLMs    = "/llms.txt"
	Full    = "/llms-full.txt"
	Postman = "/postman.json"
	search  = Prefix + "/search"
)

// page is one answer, ready to be served.
type page struct {
	media, tag string
	text       []byte
}

// New returns everything at the paths of the site. It is written once, when it is first asked for.
func New(d Deps) http.Handler {
	if d.HeaderPrefix == "" {
		d.HeaderPrefix = "X-Service"
	}
	if d.BaseURL == "" {
		d.BaseURL = "{base_url}"
	}
	written := sync.OnceValues(d.write)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.GuardStill(w.Header())
		if set.ServeFile(w, r) {
			return
		}
		site, err := written()
		if err != nil {
			http.Error(w, "The documentation could not be written.", http.StatusInternalServerError)
			return
		}
		site.serve(w, r)
	})
}

// site is everything served.
type site struct {
	pages map[string]page // by path
	index []entry
	menu  *menu
}

func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	if path == search {
		s.search(w, r)
		return
	}
	h := w.Header()
	found, ok := s.pages[path]
	if !ok {
		found = s.pages[missing]
		h.Set("Content-Type", found.media)
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write(found.text)
		return
	}
	h.Set("Content-Type", found.media)
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("ETag", found.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(found.text))
}

// missing is the key of the page for unknown paths.
const missing = "404"

//go:embed pages
var files embed.FS

var set = pages.New(files, Prefix+"/", template.FuncMap{"ticks": ticks})

// write makes every page.
func (d Deps) write() (*site, error) {
	text, err := d.Document()
	if err != nil {
		return nil, err
	}
	doc, err := read(text)
	if err != nil {
		return nil, err
	}
	guides, err := d.guides()
	if err != nil {
		return nil, err
	}
	r := doc.reference(d.BaseURL)
	r.explain(append(slices.Clone(d.Codes), doc.extensions(d.Codes)...))
	s := &site{pages: map[string]page{}, menu: newMenu(guides, r), index: index(guides, r, d.Codes)}
	for _, build := range []func() error{
		func() error { return s.writeReference(r) },
		func() error { return s.writeGuides(doc, guides) },
		func() error { return d.writeErrors(doc, s) },
		func() error { return d.writeRest(doc, r, s, guides) },
	} {
		if err := build(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// writeReference writes a page for each group of operations, one for the webhooks, and the first of them all.
func (s *site) writeReference(r *reference) error {
	for i := range r.Groups {
		if err := s.render(r.Groups[i].Path(), "group", r.Groups[i].Name, &r.Groups[i]); err != nil {
			return err
		}
	}
	if err := s.render(webhooksPath, "events", "Webhooks", r.Events); err != nil {
		return err
	}
	return s.render(Prefix+"/reference", "reference", "Reference", r)
}

// writeErrors writes the table of codes, by its sections, and the document's codes outside it.
func (d Deps) writeErrors(doc *document, s *site) error {
	type section struct {
		Name  string
		Codes []Code
	}
	var sections []section
	for _, c := range append(slices.Clone(d.Codes), doc.extensions(d.Codes)...) {
		if n := len(sections); n == 0 || sections[n-1].Name != c.Section {
			sections = append(sections, section{Name: c.Section})
		}
		sections[len(sections)-1].Codes = append(sections[len(sections)-1].Codes, c)
	}
	return s.render(Prefix+"/errors", "errors", "Errors", sections)
}

// writeRest writes the pages beside guides and reference.
func (d Deps) writeRest(doc *document, r *reference, s *site, guides []guide) error {
	collection, err := doc.postman(d.BaseURL)
	if err != nil {
		return err
	}
	full, err := r.markdown(d.Codes, guides)
	if err != nil {
		return err
	}
	s.pages[Postman] = newPage("application/json; charset=utf-8", collection)
	s.pages[LLMs] = newPage("text/plain; charset=utf-8", []byte(doc.llms(d.BaseURL, guides)))
	s.pages[Full] = newPage("text/plain; charset=utf-8", full)
	return s.render(missing, "missing", "Not here", nil)
}

// render writes a page of a template into the frame of all pages.
func (s *site) render(path, name, title string, view any) error {
	out, err := s.framed(path, name, title, view)
	if err == nil {
		s.pages[path] = newPage("text/html; charset=utf-8", out)
	}
	return err
}

// framed returns a page of a template in the frame of all pages.
func (s *site) framed(path, name, title string, view any) ([]byte, error) {
	var inner, out bytes.Buffer
	if err := set.Execute(&inner, name+".html", view); err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	frame := map[string]any{"Title": title, "Path": path, "Menu": s.menu, "Inner": template.HTML(inner.String())} // written by a template just now
	if err := set.Execute(&out, "frame.html", frame); err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return out.Bytes(), nil
}

func newPage(media string, text []byte) page {
	sum := sha256.Sum256(text)
	return page{media, strconv.Quote(hex.EncodeToString(sum[:8])), text}
}

// ticks turns text between backticks into code.
func ticks(text string) template.HTML {
	var out strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			part = "<code>" + template.HTMLEscapeString(part) + "</code>"
		} else {
			part = template.HTMLEscapeString(part)
		}
		out.WriteString(part)
	}
	return template.HTML(out.String()) // escaped part by part
}
