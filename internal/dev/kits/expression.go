package main

import (
	"encoding/json"
	"slices"
	"strings"
)

// words are a language's names of types.
type words struct {
	kinds map[string]string // of JSON's kinds
	list  func(of string) string
	byKey func(of string) string // a map of text
	null  string
	value func(values []string) string // one of the values, as JSON has them
}

// mostValues is the longest list of values written down. A longer one, such as the networks', grows: it is a text.
const mostValues = 10

// expression is a schema as a type of a language.
func (w *words) expression(s *schema) string {
	var of []string
	switch {
	case s.Ref != "":
		of = []string{name(s.Ref)}
	case len(s.OneOf)+len(s.AnyOf) > 0:
		for _, part := range slices.Concat(s.OneOf, s.AnyOf) {
			of = append(of, w.expression(part))
		}
	case len(s.Enum) > 0 && len(s.Enum) <= mostValues:
		of = w.values(s)
	default:
		for _, kind := range spoken(s.Type) {
			of = append(of, w.kind(s, kind))
		}
	}
	return union(w.null, of)
}

func (w *words) kind(s *schema, kind string) string {
	switch {
	case kind == "array":
		return w.list(w.expression(s.Items))
	case kind == "object" && s.Additional != nil:
		return w.byKey(w.expression(s.Additional))
	default:
		return w.kinds[kind]
	}
}

func (w *words) values(s *schema) []string {
	var of []string
	var null []string
	for _, v := range s.Enum {
		if v == nil {
			null = []string{w.null}
			continue
		}
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // it was read from JSON
		}
		of = append(of, string(text))
	}
	return append(null, w.value(of))
}

// spoken leaves out the numbers of a value taken as text, too: amounts and references are text.
func spoken(k kinds) kinds {
	if len(k) == 0 {
		return kinds{"any"}
	}
	if !slices.Contains(k, "string") {
		return k
	}
	return slices.DeleteFunc(slices.Clone(k), func(kind string) bool { return kind == "number" || kind == "integer" })
}

// name is the last step of a reference. The components of single error codes are all of one type.
func name(ref string) string {
	last := ref[strings.LastIndex(ref, "/")+1:]
	if strings.HasPrefix(last, problems) {
		return "Problem"
	}
	return last
}

// union joins types, each once, with null at the end.
func union(null string, of []string) string {
	var out []string
	nullable := false
	for _, o := range of {
		switch {
		case o == null:
			nullable = true
		case !slices.Contains(out, o):
			out = append(out, o)
		}
	}
	if nullable {
		out = append(out, null)
	}
	return strings.Join(out, " | ")
}
