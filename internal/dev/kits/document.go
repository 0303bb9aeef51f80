package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schema is the part of a JSON schema used by the document.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        kinds              `json:"type"`
	Enum        []any              `json:"enum"`
	Items       *schema            `json:"items"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Additional  *schema            `json:"additionalProperties"`
	OneOf       []*schema          `json:"oneOf"`
	AnyOf       []*schema          `json:"anyOf"`
	Description string             `json:"description"`
}

// kinds are the JSON types of a value: one, or several.
type kinds []string

// UnmarshalJSON implements json.Unmarshaler.
func (k *kinds) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*k = kinds{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(k))
}

// document has the parts of the OpenAPI document the kits need.
type document struct {
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
	Paths    map[string]map[string]operation `json:"paths"`
	Webhooks map[string]any                  `json:"webhooks"`
}

type operation struct {
	ID         string      `json:"operationId"`
	Parameters []parameter `json:"parameters"`
}

type parameter struct {
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description"`
	Required    bool    `json:"required"`
	Schema      *schema `json:"schema"`
}

func parse(text []byte) (*document, error) {
	d := new(document)
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	return d, nil
}

const problems = "Problem."

// record is a named type: an object with fields, or another name for a type.
type record struct {
	name   string
	fields []field // none when it is an alias
	alias  *schema
}

type field struct {
	name, description string
	optional          bool
	schema            *schema
}

// records are the types of bodies and answers, and after them the filters of lists and other queries.
func (d *document) records() []record {
	var out []record
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		s := d.Components.Schemas[name]
		switch {
		case strings.HasPrefix(name, problems):
		case len(s.Properties) > 0:
			out = append(out, record{name: name, fields: s.fields()})
		default:
			out = append(out, record{name: name, alias: s})
		}
	}
	return append(out, d.queries()...)
}

// fields are the properties in the order of the answer, and the optional ones after them.
func (s *schema) fields() []field {
	names := slices.Clone(s.Required)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, name) {
			names = append(names, name)
		}
	}
	var out []field
	for _, name := range names {
		p := s.Properties[name]
		out = append(out, field{name, p.Description, !slices.Contains(s.Required, name), p})
	}
	return out
}

// apart are parameters of the query with a method of the kits, instead of a filter.
var apart = []string{"dry_run", "bom"}

// counted are parameters in whole numbers. The document has them as text, the form of every query.
var counted = []string{"page", "per_page", "limit", "offset"}

func (d *document) queries() []record {
	byName := map[string]record{}
	for _, operations := range d.Paths {
		for _, o := range operations {
			r := record{name: strings.ToUpper(o.ID[:1]) + o.ID[1:] + "Query"}
			for _, p := range o.Parameters {
				if p.In != "query" || slices.Contains(apart, p.Name) {
					continue
				}
				if slices.Contains(counted, p.Name) {
					p.Schema = &schema{Type: kinds{"integer"}}
				}
				r.fields = append(r.fields, field{p.Name, p.Description, !p.Required, p.Schema})
			}
			if len(r.fields) > 0 {
				byName[r.name] = r
			}
		}
	}
	var out []record
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}

// codes are the error codes of the contract, events the names of webhooks.
func (d *document) codes() (out []string) {
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		if code, ok := strings.CutPrefix(name, problems); ok {
			out = append(out, code)
		}
	}
	return out
}

func (d *document) events() []string { return slices.Sorted(maps.Keys(d.Webhooks)) }
