package panel

import (
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

// looked are the pages that operators see, by their paths below Prefix. The others are forms alone, or a person's own.
var looked = []string{"{$}", "payins", "payins/{id}", "payouts", "payouts/{id}", "payment-requests", "payment-requests/{id}", "links", "links/{id}", "wallets",
	"wallets/{id}", "statement", "confirm", "confirm/{form}", "book", "developers", "requests", "webhooks", "webhooks/{id}", "people", "look", "audit"}

// Looked lists the pages that operators see.
func Looked() []string { return slices.Clone(looked) }

// Look is a look of an operator at a page of a merchant's panel.
type Look struct {
	Page     string // one of Looked
	Merchant uuid.UUID
	Called   string // the merchant's name
	Below    string // the prefix of the pages where the operator looks
}

// Look makes a page as a viewer of the merchant sees it, and without its forms. D.Store has a transaction that reads: nothing else of d
// is asked but for addresses. It returns pay.ErrNotFound where the merchant has nothing there.
func (d Deps) Look(asked *room.Asked, l Look) (*room.Page, error) {
	v := &visit{Asked: asked, Person: new(store.Person), Role: people.Viewer, Merchant: l.Merchant, Called: l.Called, panel: &Panel{Deps: d},
		session: new(store.PersonSession)}
	made, err := pageAt[l.Page](v)
	if errors.Is(err, errNoPage) {
		err = pay.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	made.Live = false // it would be a look every few seconds
	l.turn(made)
	sections := room.Part{Note: "The panel of " + l.Called + ", as a viewer of the merchant sees it. Nothing can be done here. Each page you open is in your audit and in the merchant's.",
		Mood: "warn"}
	for _, g := range menu(v, made.Section) {
		for _, e := range g.Entries {
			if href := l.address(e.Href); href != "" {
				if e.Here && made.Up == nil {
					href = ""
				}
				sections.Links = append(sections.Links, room.Link{Text: e.Text, Href: href})
			}
		}
	}
	made.Parts = append([]room.Part{sections}, made.Parts...)
	return made, nil
}

// turn takes the forms off a page, and turns its links to the pages where the operator looks.
func (l *Look) turn(made *room.Page) {
	if made.Up != nil {
		made.Up.Href = l.address(made.Up.Href)
	}
	for i := range made.Parts {
		p := &made.Parts[i]
		p.Forms, p.Secrets = nil, nil
		for j := range p.Figures {
			p.Figures[j].Href = l.address(p.Figures[j].Href)
		}
		for j := range p.Facts {
			l.turnCell(&p.Facts[j].Cell)
		}
		p.Links = slices.DeleteFunc(p.Links, func(a room.Link) bool { return a.Href != "" && l.address(a.Href) == "" })
		for j := range p.Links {
			p.Links[j].Href = l.address(p.Links[j].Href)
		}
		if p.Table == nil {
			continue
		}
		for _, href := range []*string{&p.Table.Here, &p.Table.Next, &p.Table.First, &p.Table.CSV} {
			*href = l.address(*href)
		}
		for _, row := range p.Table.Rows {
			for j := range row {
				l.turnCell(&row[j])
			}
		}
	}
}

func (l *Look) turnCell(c *room.Cell) { c.Href, c.Forms = l.address(c.Href), nil }

// address is where an address of the panel is for the operator: empty where it is nowhere. Addresses elsewhere stay.
func (l *Look) address(href string) string {
	below, inside := strings.CutPrefix(href, Prefix)
	if !inside {
		return href
	}
	path, _, _ := strings.Cut(below, "?")
	if !slices.ContainsFunc(looked, func(page string) bool { return isAt(path, page) }) {
		return ""
	}
	return l.Below + below
}

// isAt reports whether a path is that of a page.
func isAt(path, page string) bool {
	if path == "" || page == "{$}" {
		return path == "" && page == "{$}"
	}
	have, want := strings.Split(path, "/"), strings.Split(page, "/")
	return slices.EqualFunc(have, want, func(h, w string) bool { return h == w || strings.HasPrefix(w, "{") })
}
