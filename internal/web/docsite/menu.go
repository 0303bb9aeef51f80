package docsite

// menu is the sidebar of every page.
type menu struct{ Parts []part }

type part struct {
	Name  string
	Links []link
}

type link struct{ Title, Path string }

func newMenu(guides []guide, r *reference) *menu {
	first, second := part{Name: "Guides"}, part{Name: "Reference", Links: []link{{"Every request", Prefix + "/reference"}}}
	for _, g := range guides {
		first.Links = append(first.Links, link{g.Title, Prefix + "/" + g.Slug})
	}
	for _, g := range r.Groups {
		second.Links = append(second.Links, link{g.Name, g.Path()})
	}
	second.Links = append(second.Links, link{"Webhooks", webhooksPath}, link{"Errors", Prefix + "/errors"})
	third := part{"For programs", []link{{"OpenAPI", "/openapi.json"}, {"Postman", Postman}, {"llms.txt", LLMs}, {"llms-full.txt", Full}}}
	return &menu{[]part{first, second, third}}
}
