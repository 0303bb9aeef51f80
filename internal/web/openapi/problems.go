package openapi

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// problems are all errors of the document by their code.
type problems map[string][]Error

// collectProblems makes one component of each code: its possible details, wherever it is answered.
func (w *writer) collectProblems() {
	add := func(errors []Error) {
		for _, e := range errors {
			w.problems[e.Code] = append(w.problems[e.Code], e)
		}
	}
	add(w.Everywhere)
	add(w.Unrouted)
	for i := range w.Operations {
		add(w.Operations[i].Errors)
	}
	for _, at := range slices.Sorted(maps.Keys(w.Refine)) {
		add(w.Refine[at])
	}
	for code, variants := range w.problems {
		w.spec.ComponentsEns().WithSchemasItem(problemName(code), problemSchema(code, variants))
	}
}

func problemName(code string) string { return "Problem." + code }

func problemSchema(code string, variants []Error) map[string]any {
	properties := map[string]any{"code": map[string]any{"const": code}, "message": map[string]any{"type": "string"}}
	required := []any{"code", "message"}
	details, always := detailsSchema(variants)
	if details != nil {
		properties["details"] = details
	}
	if always {
		required = append(required, "details")
	}
	out := map[string]any{"type": "object", "properties": properties, "required": required}
	if variants[0].Extension {
		out["x-extension"] = true
	}
	if conditions := conditionsOf(variants); conditions != "" {
		out["description"] = conditions
	}
	return out
}

func conditionsOf(variants []Error) string {
	var all []string
	for _, v := range variants {
		if v.Condition != "" && !slices.Contains(all, v.Condition) {
			all = append(all, v.Condition)
		}
	}
	return strings.Join(all, " ")
}

// detailsSchema joins the details of all variants: every name in one, required if in all. always means no variant goes
// without details.
func detailsSchema(variants []Error) (schema map[string]any, always bool) {
	properties, times := map[string]any{}, map[string]int{}
	always = true
	for _, v := range variants {
		always = always && len(v.Details) > 0
		for name, example := range v.Details {
			property := schemaLike(reflect.TypeOf(example))
			if slices.Contains(v.Extra, name) {
				property["x-extension"] = true
			}
			properties[name] = property
			times[name]++
		}
	}
	if len(properties) == 0 {
		return nil, false
	}
	required := []any{}
	for _, name := range slices.Sorted(maps.Keys(times)) {
		if times[name] == len(variants) {
			required = append(required, name)
		}
	}
	schema = map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema, always
}

// schemaLike returns the schema of the few kinds of values in details.
func schemaLike(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaLike(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaLike(t.Elem())}
	default:
		return map[string]any{"type": "string"}
	}
}

// oneProblem is the schema of an error with one of the codes.
func oneProblem(errors []Error) map[string]any {
	refs := []any{}
	for _, code := range codesOf(errors) {
		refs = append(refs, map[string]any{"$ref": schemasAt + problemName(code)})
	}
	if len(refs) == 1 {
		return refs[0].(map[string]any) // appended above
	}
	return map[string]any{"oneOf": refs}
}

func codesOf(errors []Error) (codes []string) {
	for _, e := range errors {
		if !slices.Contains(codes, e.Code) {
			codes = append(codes, e.Code)
		}
	}
	slices.Sort(codes)
	return codes
}

// refine replaces the schema of properties carrying one of a set of errors.
func (w *writer) refine() error {
	for _, at := range slices.Sorted(maps.Keys(w.Refine)) {
		component, property, _ := strings.Cut(at, ".")
		properties, ok := w.spec.Components.Schemas[component]["properties"].(map[string]any)
		if !ok || properties[property] == nil {
			return fmt.Errorf("there is no property %s to refine", at)
		}
		properties[property] = oneProblem(w.Refine[at])
	}
	return nil
}
