package openapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"
)

const (
	keyScheme = "ApiKey"
	mediaJSON = "application/json"
	mark      = "x-extension" // stands at extensions of the contract
)

// Document has the content of the OpenAPI document.
type Document struct {
	Title       string
	Version     string
	Description string
	Tags        []Tag
	KeyHeader   string // the header of the API key
	Operations  []Operation
	Notices     []Notice
	Everywhere  []Error            // possible errors of every operation
	Unrouted    []Error            // answers where there is no operation; stands in components only
	Params      []Param            // of every operation
	Headers     map[string]Param   // response headers by name; a second form of one has its name in Param.Name
	Always      []string           // of Headers: those of every response
	Fields      map[string]Field   // by "Type.property", else by "property"
	Forms       []Forms            // of the interfaces in answers
	Refine      map[string][]Error // refusals found in answers, by "Type.property": the property is one of these
}

// Forms are the forms of an interface on the wire.
type Forms struct {
	Of  any   // a pointer to the interface
	Are []any // a value of each form
}

// Tag groups operations.
type Tag struct{ Name, Description string }

// writer builds one document.
type writer struct {
	*Document
	reflector *openapi31.Reflector
	spec      *openapi31.Spec
	problems  problems
}

// JSON writes the document. The same Document always gives the same bytes.
func (d *Document) JSON() ([]byte, error) {
	w := &writer{Document: d, reflector: openapi31.NewReflector(), problems: problems{}}
	w.spec = w.reflector.SpecEns()
	w.setUp()
	w.collectProblems()
	for i := range d.Operations {
		if err := w.operation(&d.Operations[i]); err != nil {
			return nil, fmt.Errorf("describe %s %s: %w", d.Operations[i].Method, d.Operations[i].Path, err)
		}
	}
	for i := range d.Notices {
		if err := w.notice(&d.Notices[i]); err != nil {
			return nil, fmt.Errorf("describe %s: %w", d.Notices[i].Event, err)
		}
	}
	if err := w.refine(); err != nil {
		return nil, err
	}
	w.unrouted()
	return w.spec.MarshalJSON()
}

func (w *writer) setUp() {
	w.spec.Info = openapi31.Info{Title: w.Title, Version: w.Version, Description: text(w.Description)}
	for _, tag := range w.Tags {
		w.spec.Tags = append(w.spec.Tags, openapi31.Tag{Name: tag.Name, Description: text(tag.Description)})
	}
	components := w.spec.ComponentsEns()
	components.WithSecuritySchemesItem(keyScheme, openapi31.SecuritySchemeOrReference{SecurityScheme: &openapi31.SecurityScheme{
		Description: text("The private API key. The scopes that an operation needs stand beside it."),
		APIKey:      &openapi31.SecuritySchemeAPIKey{Name: w.KeyHeader, In: openapi31.SecuritySchemeAPIKeyInHeader},
	}})
	for _, p := range w.Params {
		components.WithParametersItem(p.Name, openapi31.ParameterOrReference{Parameter: p.parameter()})
	}
	for _, name := range slices.Sorted(maps.Keys(w.Headers)) {
		h := w.Headers[name]
		components.WithHeadersItem(name, openapi31.HeaderOrReference{Header: &openapi31.Header{
			Description: text(h.Description), Schema: h.schema(), Example: value(h.Example), Required: &h.Required,
		}})
	}
	w.configure()
}

// operation adds one row of the route table.
func (w *writer) operation(o *Operation) error {
	out := openapi31.Operation{
		ID: text(o.ID), Summary: text(o.Summary), Description: text(o.Description),
		Security: []map[string][]string{{keyScheme: {o.Scope}}},
	}
	if o.Extension {
		out.WithMapOfAnythingItem(mark, true)
	}
	if o.Tag != "" {
		out.Tags = []string{o.Tag}
	}
	for _, p := range o.Params {
		out.Parameters = append(out.Parameters, openapi31.ParameterOrReference{Parameter: p.parameter()})
	}
	for _, p := range w.Params {
		out.Parameters = append(out.Parameters, openapi31.ParameterOrReference{
			Reference: &openapi31.Reference{Ref: "#/components/parameters/" + p.Name}})
	}
	if o.Body != nil {
		body, err := w.body(o.Body, o.Examples)
		if err != nil {
			return err
		}
		out.RequestBody = body
	}
	var err error
	if out.Responses, err = w.responses(o); err != nil {
		return err
	}
	path := braced(o.Path)
	item := w.spec.PathsEns().MapOfPathItemValues[path]
	if err := item.SetOperation(o.Method, &out); err != nil {
		return err
	}
	w.spec.PathsEns().WithMapOfPathItemValuesItem(path, item)
	return nil
}

func (w *writer) body(sample any, examples []Example) (*openapi31.RequestBodyOrReference, error) {
	schema, err := w.schemaOf(sample)
	if err != nil {
		return nil, err
	}
	needed := true
	return &openapi31.RequestBodyOrReference{RequestBody: &openapi31.RequestBody{
		Required: &needed,
		Content:  map[string]openapi31.MediaType{mediaJSON: {Schema: schema, Examples: named(examples)}},
	}}, nil
}

func (w *writer) notice(n *Notice) error {
	body, err := w.body(n.Body, n.Examples)
	if err != nil {
		return err
	}
	out := openapi31.Operation{ID: text(n.Event), Summary: text(n.Summary), Description: text(n.Description),
		RequestBody: body, Security: []map[string][]string{}}
	out.ResponsesEns().WithMapOfResponseOrReferenceValuesItem("2XX", openapi31.ResponseOrReference{
		Response: &openapi31.Response{Description: "The notice was received; anything else is sent again."}})
	item := openapi31.PathItem{}
	if err := item.SetOperation(http.MethodPost, &out); err != nil {
		return err
	}
	w.spec.WithWebhooksItem(n.Event, openapi31.PathItemOrReference{PathItem: &item})
	return nil
}

func (p *Param) parameter() *openapi31.Parameter {
	in := p.In
	if in == "" {
		in = "query"
	}
	needed := p.Required || in == "path"
	out := &openapi31.Parameter{Name: p.Name, In: openapi31.ParameterIn(in), Description: text(p.Description),
		Required: &needed, Schema: p.schema(), Example: value(p.Example)}
	if p.Extension {
		out.WithMapOfAnythingItem(mark, true)
	}
	return out
}

func (p *Param) schema() map[string]any {
	if p.Schema == nil {
		return map[string]any{"type": "string"}
	}
	return p.Schema
}

// braced turns /x/:name into /x/{name}.
func braced(path string) string {
	steps := strings.Split(path, "/")
	for i, step := range steps {
		if name, ok := strings.CutPrefix(step, ":"); ok {
			steps[i] = "{" + name + "}"
		}
	}
	return strings.Join(steps, "/")
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func value(v any) *any {
	if v == nil {
		return nil
	}
	return &v
}

func named(examples []Example) map[string]openapi31.ExampleOrReference {
	if len(examples) == 0 {
		return nil
	}
	out := map[string]openapi31.ExampleOrReference{}
	for _, e := range examples {
		out[e.Name] = openapi31.ExampleOrReference{Example: &openapi31.Example{Summary: text(e.Summary), Value: value(e.Value)}}
	}
	return out
}
