package docsite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// document is the part of an OpenAPI document used by the site.
type document struct {
	Info struct {
		Title       string `json:"title"`
		Version     string `json:"version"`
		Description string `json:"description"`
	} `json:"info"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Paths      map[string]map[string]*operation `json:"paths"`
	Webhooks   map[string]map[string]*operation `json:"webhooks"`
	Components struct {
		Schemas    map[string]*schema    `json:"schemas"`
		Parameters map[string]*parameter `json:"parameters"`
		Responses  map[string]*response  `json:"responses"`
		Security   map[string]struct {
			Name string `json:"name"`
		} `json:"securitySchemes"`
	} `json:"components"`
}

type operation struct {
	ID          string                `json:"operationId"`
	Tags        []string              `json:"tags"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Parameters  []*parameter          `json:"parameters"`
	Body        *response             `json:"requestBody"`
	Responses   map[string]*response  `json:"responses"`
	Security    []map[string][]string `json:"security"`

	method, path string
}

type parameter struct {
	Ref         string  `json:"$ref"`
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description"`
	Required    bool    `json:"required"`
	Schema      *schema `json:"schema"`
	Example     any     `json:"example"`
}

// response is an answer, or the body of a request.
type response struct {
	Ref         string `json:"$ref"`
	Description string `json:"description"`
	Content     map[string]struct {
		Schema   *schema            `json:"schema"`
		Examples map[string]example `json:"examples"`
	} `json:"content"`
}

type example struct {
	Summary string          `json:"summary"`
	Value   json.RawMessage `json:"value"`
}

type schema struct {
	Ref         string             `json:"$ref"`
	Type        any                `json:"type"`
	Description string             `json:"description"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Items       *schema            `json:"items"`
	OneOf       []*schema          `json:"oneOf"`
	AnyOf       []*schema          `json:"anyOf"`
	Extension   bool               `json:"x-extension"`
	Enum        []any              `json:"enum"`
}

// read reads a document and gives every operation its place.
func read(text []byte) (*document, error) {
	d := new(document)
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	for path, methods := range d.Paths {
		for method, o := range methods {
			o.method, o.path = strings.ToUpper(method), path
		}
	}
	return d, nil
}

// tagged returns the operations of a tag by path, those that change something first.
func (d *document) tagged(tag string) []*operation {
	var out []*operation
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Backward(slices.Sorted(maps.Keys(d.Paths[path]))) {
			if o := d.Paths[path][method]; slices.Contains(o.Tags, tag) {
				out = append(out, o)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *operation) int { return cmp.Compare(b.method, a.method) })
	return out
}

// keyHeader is the header of the API key.
func (d *document) keyHeader() string {
	for _, scheme := range d.Components.Security {
		return scheme.Name
	}
	return ""
}

// schema follows a reference.
func (d *document) schema(s *schema) *schema {
	if s != nil && s.Ref != "" {
		return d.Components.Schemas[last(s.Ref)]
	}
	return s
}

func (d *document) parameter(p *parameter) *parameter {
	if p.Ref != "" {
		return d.Components.Parameters[last(p.Ref)]
	}
	return p
}

func (d *document) response(r *response) *response {
	if r.Ref != "" {
		return d.Components.Responses[last(r.Ref)]
	}
	return r
}

// scopes are those an operation needs.
func (o *operation) scopes() string {
	for _, need := range o.Security {
		for _, scopes := range need {
			return strings.Join(scopes, ", ")
		}
	}
	return ""
}

func last(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }
