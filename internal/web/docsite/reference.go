package docsite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// reference is the content of the reference page.
type reference struct {
	Title, Version, About string
	KeyHeader             string
	Everywhere            []*parameter // headers of every operation
	Groups                []group
	Events                []event
}

type group struct {
	Name, About string
	Operations  []shown
}

// webhooksPath is the page of the webhooks.
const webhooksPath = Prefix + "/reference/webhook-events"

// Path is the address of the group's page.
func (g group) Path() string {
	return Prefix + "/reference/" + strings.ReplaceAll(strings.ToLower(g.Name), " ", "-")
}

// explain says of every error of an operation when it happens.
func (r *reference) explain(codes []Code) {
	when := map[string]string{}
	for _, c := range codes {
		when[fmt.Sprint(c.Status, c.Code)] = c.When
	}
	for _, g := range r.Groups {
		for i := range g.Operations {
			for j := range g.Operations[i].Refusals {
				refusal := &g.Operations[i].Refusals[j]
				refusal.When = when[refusal.Status+refusal.Code]
			}
		}
	}
}

// shown is an operation as the page shows it.
type shown struct {
	ID, Method, Path, Summary, About, Scope string
	Params                                  []*parameter
	Body                                    []field
	Examples                                []code
	Answers                                 []answer
	Refusals                                []refusal
}

type answer struct {
	Status, About string
	Fields        []field
	Examples      []sample
}

type sample struct{ About, Text string }

// refusal is an error code of an operation.
type refusal struct{ Status, Code, When string }

type event struct {
	Name, Summary, About string
	Fields               []field
	Examples             []sample
}

// reference writes down the page's content. Examples are for the API at base.
func (d *document) reference(base string) *reference {
	r := &reference{Title: d.Info.Title, Version: d.Info.Version, About: d.Info.Description, KeyHeader: d.keyHeader()}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Parameters)) {
		r.Everywhere = append(r.Everywhere, d.Components.Parameters[name])
	}
	for _, tag := range d.Tags {
		g := group{Name: tag.Name, About: tag.Description}
		for _, o := range d.tagged(tag.Name) {
			g.Operations = append(g.Operations, d.shown(o, base))
		}
		r.Groups = append(r.Groups, g)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Webhooks)) {
		for _, o := range d.Webhooks[name] {
			fields, examples := d.content(o.Body)
			r.Events = append(r.Events, event{name, o.Summary, o.Description, fields, examples})
		}
	}
	return r
}

func (d *document) shown(o *operation, base string) shown {
	s := shown{ID: o.ID, Method: o.method, Path: o.path, Summary: o.Summary, About: o.Description, Scope: o.scopes()}
	for _, p := range o.Parameters {
		if p.Ref == "" {
			s.Params = append(s.Params, p)
		}
	}
	var bodies []sample
	if o.Body != nil {
		s.Body, bodies = d.content(o.Body)
	}
	s.Examples = d.call(o, base, bodies).examples()
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		r := d.response(o.Responses[status])
		if status < "400" {
			fields, examples := d.content(r)
			s.Answers = append(s.Answers, answer{status, r.Description, fields, examples})
			continue
		}
		for _, name := range codesOf(r) {
			s.Refusals = append(s.Refusals, refusal{Status: status, Code: name})
		}
	}
	return s
}

// content is a body's fields and examples.
func (d *document) content(r *response) (fields []field, examples []sample) {
	for _, media := range slices.Sorted(maps.Keys(r.Content)) {
		c := r.Content[media]
		if fields == nil {
			fields = d.fields(c.Schema, "", 0)
		}
		for _, name := range slices.Sorted(maps.Keys(c.Examples)) {
			examples = append(examples, sample{c.Examples[name].Summary, pretty(c.Examples[name].Value)})
		}
	}
	return fields, examples
}

// extensions are the error codes of the document's operations outside the contract's table.
func (d *document) extensions(table []Code) (out []Code) {
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, o := range d.Paths[path] {
			for status, r := range o.Responses {
				number, err := strconv.Atoi(status)
				for _, code := range codesOf(d.response(r)) {
					row := Code{Section: "Extensions", Status: number, Code: code, When: d.response(r).Description}
					if s := d.Components.Schemas["Problem."+code]; s != nil && s.Description != "" {
						row.When = s.Description
					}
					known := func(c Code) bool { return c.Code == code && c.Status == number }
					if err == nil && !slices.ContainsFunc(table, known) && !slices.ContainsFunc(out, known) {
						out = append(out, row)
					}
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b Code) int { return strings.Compare(a.Code, b.Code) })
	return out
}

// codesOf are the error codes of an answer: the names of its examples.
func codesOf(r *response) []string {
	codes := map[string]bool{}
	for _, c := range r.Content {
		for _, e := range c.Examples {
			var answer struct {
				Error struct {
					Code string `json:"code"`
				} `json:"error"`
			}
			if json.Unmarshal(e.Value, &answer) == nil && answer.Error.Code != "" {
				codes[answer.Error.Code] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(codes))
}

// requiredQuery is the query of an operation's required parameters.
func requiredQuery(o *operation) string {
	var parts []string
	for _, p := range o.Parameters {
		if p.In == "query" && p.Required && p.Example != nil {
			parts = append(parts, p.Name+"="+fmt.Sprint(p.Example))
		}
	}
	if parts == nil {
		return ""
	}
	return "?" + strings.Join(parts, "&")
}

func pretty(text json.RawMessage) string {
	var plain string
	if json.Unmarshal(text, &plain) == nil {
		return plain
	}
	var out bytes.Buffer
	if json.Indent(&out, text, "", "  ") != nil {
		return string(text)
	}
	return out.String()
}
