package api

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"causeway/internal/proof/contract"
)

var specWord = regexp.MustCompile(`[a-z][a-z0-9_]*`)

// Every property of an answer and every code stands in the contract, or is marked x-extension. Properties missing in
// the document are found wherever the tests' traffic is checked.
func TestWhatTheContractDoesNotNameIsMarked(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §addendum: what api-v1 leaves open: A field or code that neither names")
	words := map[string]bool{}
	for _, name := range []string{"api-v1", "addendum"} {
		text, err := os.ReadFile("../docs/spec/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range specWord.FindAllString(string(text), -1) {
			words[word] = true
		}
	}
	text, err := document()
	if err != nil {
		t.Fatal(err)
	}
	var whole struct {
		Components struct {
			Schemas map[string]map[string]any
		}
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	seen, marked := 0, 0
	for name, schema := range whole.Components.Schemas {
		code, problem := strings.CutPrefix(name, "Problem.")
		if problem && !inContract(code) && schema["x-extension"] != true {
			t.Errorf("the code %s is neither in the contract nor marked", code)
		}
		eachProperty(schema, func(property string, extension bool) {
			seen++
			if extension {
				marked++
			} else if !words[property] {
				t.Errorf("%s of %s is neither in the contract nor marked", property, name)
			}
		})
	}
	if seen < 200 || marked == 0 {
		t.Errorf("%d properties were seen, %d of them marked", seen, marked)
	}
}

// An extension in words is marked for programs as well, and nothing else is.
func TestExtensionsAreMarked(t *testing.T) {
	t.Parallel()
	text, err := document()
	if err != nil {
		t.Fatal(err)
	}
	type said struct {
		Description string
		Extension   bool `json:"x-extension"`
	}
	var whole struct {
		Paths map[string]map[string]struct {
			said
			Parameters []said
			Responses  map[string]struct {
				Content map[string]struct {
					Extension bool `json:"x-extension"`
				}
			}
		}
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	marked := 0
	holds := func(where string, s said) {
		if s.Extension {
			marked++
		}
		if strings.HasPrefix(s.Description, "An extension.") != s.Extension {
			t.Errorf("%s: x-extension is %v, and it says %q", where, s.Extension, s.Description)
		}
	}
	for path, methods := range whole.Paths {
		for method, o := range methods {
			holds(method+" "+path, o.said)
			for _, p := range o.Parameters {
				holds(method+" "+path, p)
			}
			for _, answer := range o.Responses {
				if csv, has := answer.Content["text/csv"]; has && !csv.Extension {
					t.Errorf("%s %s: text/csv is not marked", method, path)
				}
			}
		}
	}
	if marked < 6 {
		t.Errorf("%d are marked", marked)
	}
}

// eachProperty visits the properties of a schema and inside it.
func eachProperty(schema any, visit func(name string, extension bool)) {
	switch schema := schema.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			of, _ := property.(map[string]any)
			visit(name, of["x-extension"] == true)
		}
		for _, inside := range schema {
			eachProperty(inside, visit)
		}
	case []any:
		for _, inside := range schema {
			eachProperty(inside, visit)
		}
	}
}
