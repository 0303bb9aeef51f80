package api

import (
	"net/http"
	"strings"
	"testing"

	"causeway/internal/proof/contract"
)

// spellings are other services' ways to write a name.
func spellings(name string) []string {
	words := strings.Split(name, "_")
	camel := words[0]
	for _, word := range words[1:] {
		camel += strings.ToUpper(word[:1]) + word[1:]
	}
	out := []string{strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:], name + "[]", name + "%5B%5D", name + "%255B%255D", name + "[0]",
		"filter[" + name + "]", "." + name, name + "_", name + "%20", name + "+"}
	for _, other := range []string{camel, strings.Join(words, ""), strings.Join(words, "-"), strings.Join(words, "."), strings.Join(words, "%20")} {
		if other != name {
			out = append(out, other)
		}
	}
	return out
}

// A misspelt or doubled parameter of an operation is refused by name: list-payin?referenceId=x answered with every payin.
func TestAMisspeltParameterIsRefused(t *testing.T) {
	contract.Covers(t, "api-v1 §General conventions: The name of a query parameter")
	asked := 0
	everyRoute(t, func(f *hostileFront, r *Route) {
		f.calm = true
		o := f.orders(r)
		base, _, _ := strings.Cut(o.target, "?")
		refused := func(query, name string) {
			t.Helper()
			asked++
			a := f.sentTo(r.Method, base+"?"+query, o.body())
			if a.status != http.StatusBadRequest || decodeReply(t, a.text).code() != "invalid_parameters" ||
				decodeReply(t, a.text).at("error.details.fields."+name) == nil {
				t.Errorf("%s %s?%s: %d %s", r.Method, base, query, a.status, a.text)
			}
		}
		for _, p := range r.Doc.Params {
			if p.In != "" {
				continue
			}
			for _, sent := range spellings(p.Name) {
				refused(sent+"=x", p.Name)
			}
			refused(p.Name+"=1&"+p.Name+"=1", p.Name)
			refused(p.Name+"&"+p.Name, p.Name)
		}
		if r.Method != http.MethodGet {
			return
		}
		for _, ignored := range []string{"unknown=1", "unknown=1&unknown=2", "utm_source=mail", "%5B%5D=1", "=1", "&&", "%=1"} {
			joined := "&"
			if !strings.Contains(o.target, "?") {
				joined = "?"
			}
			if a := f.sentTo(r.Method, o.target+joined+ignored, o.body()); a.status == http.StatusBadRequest && strings.Contains(a.text, "must be") {
				t.Errorf("%s %s?%s: %d %s", r.Method, base, ignored, a.status, a.text)
			}
		}
	})
	if asked < 100 {
		t.Errorf("%d asked", asked)
	}
}
