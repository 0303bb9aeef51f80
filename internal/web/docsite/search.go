package docsite

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// entry is something for a search to find.
type entry struct {
	Title, Path, About string
	text               string // in lower case

}

// index lists the operations, webhooks, fields of them, error codes and guides.
func index(guides []guide, r *reference, codes []Code) (out []entry) {
	add := func(title, path, about string, more ...string) {
		out = append(out, entry{title, path, about, strings.ToLower(strings.Join(append(more, title, about), " "))})
	}
	for _, g := range r.Groups {
		for i := range g.Operations {
			o := &g.Operations[i]
			add(o.Method+" "+o.Path, g.Path()+"#"+o.ID, o.Summary, append(names(o.Body), o.About)...)
		}
	}
	for _, e := range r.Events {
		add(e.Name, webhooksPath+"#event-"+e.Name, e.Summary, append(names(e.Fields), e.About)...)
	}
	for _, c := range codes {
		add(c.Code, Prefix+"/errors#"+c.Anchor(), c.When)
	}
	for _, g := range guides {
		add(g.Title, Prefix+"/"+g.Slug, "Guide", g.text)
	}
	return out
}

func names(fields []field) (out []string) {
	for _, f := range fields {
		out = append(out, f.Name, strings.Join(f.Values, " "))
	}
	return out
}

// Anchor is where the code stands on the page of errors.
func (c Code) Anchor() string {
	if c.Status == 0 {
		return "item-" + c.Code
	}
	return fmt.Sprintf("%s-%d", c.Code, c.Status)
}

// longestQuery is how much of a query is looked at, in bytes.
const longestQuery = 200

// find returns the entries with every word of a query, those with them in the title first.
func find(index []entry, query string) []entry {
	words := strings.Fields(strings.ToLower(query[:min(len(query), longestQuery)]))
	if len(words) == 0 {
		return nil
	}
	var found []entry
	rank := func(e entry) (sum int) {
		for _, word := range words {
			if strings.Contains(strings.ToLower(e.Title), word) {
				sum++
			}
		}
		return sum
	}
	for _, e := range index {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(e.text, word) }) {
			found = append(found, e)
		}
	}
	slices.SortStableFunc(found, func(a, b entry) int { return rank(b) - rank(a) })
	return found
}

// search answers GET /docs/search?q=.
func (s *site) search(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query().Get("q")
	out, err := s.framed(search, "search", "Search", map[string]any{"Query": query, "Found": find(s.index, query)})
	if err != nil {
		http.Error(w, "The search could not be written.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(out)
}
