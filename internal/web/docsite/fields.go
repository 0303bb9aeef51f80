package docsite

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// field is a row of a table of fields.
type field struct {
	Name, Type, Description string
	Required, Extension     bool
	Values                  []string // all allowed values, where these are named
}

// deepest is how many levels of an object a table shows.
const deepest = 4

// fields lists the fields of an object, and those below by path: data.wallet, payments[].token.
func (d *document) fields(s *schema, prefix string, level int) (out []field) {
	s, many := d.object(s)
	if s == nil || level == deepest {
		return nil
	}
	if many && prefix != "" {
		prefix = strings.TrimSuffix(prefix, ".") + "[]."
	}
	for _, name := range d.inOrder(s) {
		p := s.Properties[name]
		resolved := d.schema(p)
		out = append(out, field{prefix + name, d.typeOf(p), describe(p, resolved), slices.Contains(s.Required, name),
			p.Extension || resolved.Extension, d.values(p)})
		out = append(out, d.fields(p, prefix+name+".", level+1)...)
	}
	return out
}

// inOrder lists required properties first.
func (d *document) inOrder(s *schema) []string {
	names := slices.Sorted(maps.Keys(s.Properties))
	slices.SortStableFunc(names, func(a, b string) int {
		first, second := slices.Contains(s.Required, a), slices.Contains(s.Required, b)
		switch {
		case first == second:
			return 0
		case first:
			return -1
		}
		return 1
	})
	return names
}

func describe(p, resolved *schema) string {
	if p.Description != "" {
		return p.Description
	}
	return resolved.Description
}

// object is the object a schema is about: itself, the items of a list, the first of several choices, or several answers
// of one status put together.
func (d *document) object(s *schema) (found *schema, many bool) {
	s = d.schema(s)
	switch {
	case s == nil || s.Properties != nil:
		return s, false
	case s.Items != nil:
		found, _ = d.object(s.Items)
		return found, true
	case len(s.OneOf) > 0:
		return d.object(s.OneOf[0])
	case len(s.AnyOf) > 0:
		return d.together(s.AnyOf), false
	}
	return nil, false
}

// together has every property of several objects, as the first of them has it. Required are those all of them require.
func (d *document) together(all []*schema) *schema {
	out := &schema{Properties: map[string]*schema{}}
	for i, s := range all {
		s, _ := d.object(s)
		if s == nil {
			continue
		}
		for name, p := range s.Properties {
			if out.Properties[name] == nil {
				out.Properties[name] = p
			}
		}
		if i == 0 {
			out.Required = s.Required
		}
		out.Required = slices.DeleteFunc(slices.Clone(out.Required), func(name string) bool { return !slices.Contains(s.Required, name) })
	}
	return out
}

// values lists the allowed values of a field, or of an item of a list.
func (d *document) values(s *schema) (out []string) {
	s = d.schema(s)
	if s == nil {
		return nil
	}
	if s.Items != nil {
		return d.values(s.Items)
	}
	for _, value := range s.Enum {
		if text := fmt.Sprint(value); value != nil && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// typeOf says a type in words.
func (d *document) typeOf(s *schema) string {
	s = d.schema(s)
	switch t := s.Type.(type) {
	case []any:
		var names []string
		for _, one := range t {
			if name := fmt.Sprint(one); name != "null" {
				names = append(names, name)
			}
		}
		if len(names) < len(t) {
			names = append(names, "null")
		}
		return strings.Join(names, " or ")
	case string:
		if t == "array" && s.Items != nil {
			return "list of " + d.typeOf(s.Items)
		}
		return t
	}
	var choices []string
	for _, one := range s.OneOf {
		if name := d.typeOf(one); !slices.Contains(choices, name) {
			choices = append(choices, name)
		}
	}
	return strings.Join(choices, " or ")
}
