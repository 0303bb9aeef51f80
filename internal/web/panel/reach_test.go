package panel

import (
	"net/http"
	"strings"

	"causeway/internal/people"
)

// RightOf returns the kind of right of every act, by its path.
func RightOf() map[string]people.Act {
	out := map[string]people.Act{}
	for path, a := range acts {
		out[path] = a.right
	}
	return out
}

// Paths returns the paths of the pages.
func Paths() (out []string) {
	for path := range pageAt {
		out = append(out, path)
	}
	return out
}

// Demands returns what an act takes beside its right: "proof" within the last minutes, "anew" for this act alone, and
// a "code", so that the person must log in with one.
func Demands(path string) string {
	a := acts[path]
	var out []string
	if a.proof != nil {
		out = append(out, "proof")
	}
	if a.anew {
		out = append(out, "anew")
	}
	if a.code != nil {
		out = append(out, "code")
	}
	return strings.Join(out, " ")
}

// patterns keeps the patterns of a router.
type patterns struct{ of []string }

func (p *patterns) Handle(pattern string, _ http.Handler) { p.of = append(p.of, pattern) }

func (p *patterns) HandleFunc(pattern string, _ func(http.ResponseWriter, *http.Request)) {
	p.of = append(p.of, pattern)
}

// Routes returns every route of a panel, as "POST links/{id}/end".
func Routes(d Deps) []string {
	var kept patterns
	New(d).routes(&kept)
	for i, pattern := range kept.of {
		kept.of[i] = strings.Replace(pattern, Prefix, "", 1)
	}
	return kept.of
}
