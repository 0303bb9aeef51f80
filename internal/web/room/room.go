// Package room is the common part of the operators' console and the merchants' panel: the vocabulary of their pages (parts, tables,
// forms, cells), the templates drawing it, one style and one script, and lists with their filters and files. A room adds its frame.
package room

import (
	"embed"
	"html/template"
	"io/fs"
	"maps"

	"causeway/internal/web/pages"
)

//go:embed pages
var own embed.FS

// New makes the pages of a room below prefix, with the room's own templates in the folder pages of files. In templates
// {{sandbox}} reports whether the room is a sandbox's beside live networks, and {{room}} is the room's name for titles.
func New(files fs.FS, prefix, name string, sandbox bool, more template.FuncMap) *pages.Set {
	functions := template.FuncMap{"along": along, "sandbox": func() bool { return sandbox }, "prefix": func() string { return prefix },
		"room": func() string { return name }}
	maps.Copy(functions, more)
	return pages.New(files, prefix, functions, own)
}

// withPage is a piece of a page together with the page.
type withPage struct {
	Page *Page
	It   any
}

func along(p *Page, it any) withPage { return withPage{p, it} }
