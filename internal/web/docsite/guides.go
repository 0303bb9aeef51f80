package docsite

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"causeway/docs/guides"
)

// guide is one guide with the installation's own names in it.
type guide struct {
	Slug, Title string
	text        string
}

// guides reads the guides in their order.
func (d Deps) guides() ([]guide, error) {
	var out []guide
	for _, slug := range guides.Order {
		text, err := guides.Files.ReadFile(slug + ".md")
		if err != nil {
			return nil, fmt.Errorf("read the guide: %w", err)
		}
		own := strings.NewReplacer("X-Service", d.HeaderPrefix, "{base_url}", d.BaseURL).Replace(string(text))
		title, _, _ := strings.Cut(strings.TrimPrefix(own, "# "), "\n")
		out = append(out, guide{slug, title, own})
	}
	return out, nil
}

// writeGuides writes each guide as a page and as Markdown, and the first page of all.
func (s *site) writeGuides(doc *document, all []guide) error {
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table, extension.TaskList))
	for _, g := range all {
		var out bytes.Buffer
		if err := markdown.Convert([]byte(g.text), &out); err != nil {
			return fmt.Errorf("write the guide %s: %w", g.Slug, err)
		}
		body := template.HTML(out.String()) // from our own text; HTML in it is left out
		if err := s.render(Prefix+"/"+g.Slug, "guide", g.Title, body); err != nil {
			return err
		}
		s.pages[Prefix+"/"+g.Slug+".md"] = newPage("text/markdown; charset=utf-8", []byte(g.text))
	}
	return s.render(Prefix, "index", doc.Info.Title, map[string]any{"Guides": all, "About": doc.Info.Description, "Title": doc.Info.Title})
}
