package main

import (
	"fmt"
	"strings"
)

var inTypeScript = words{
	kinds: map[string]string{"string": "string", "integer": "number", "boolean": "boolean", "object": "Record<string, unknown>",
		"any": "unknown", "null": "null"},
	list: func(of string) string {
		if strings.Contains(of, "|") {
			of = "(" + of + ")"
		}
		return of + "[]"
	},
	byKey: func(of string) string { return "Record<string, " + of + ">" },
	null:  "null",
	value: func(values []string) string { return strings.Join(values, " | ") },
}

// typeScript writes an interface for each object, and another name for every other type.
func typeScript(d *document) string {
	var out strings.Builder
	out.WriteString("// Written by `make kits` from the OpenAPI document. Do not edit.\n// The bodies and answers of the API. Amounts are decimals in text.\n")
	for _, r := range d.records() {
		if r.fields == nil {
			fmt.Fprintf(&out, "\nexport type %s = %s;\n", r.name, inTypeScript.expression(r.alias))
			continue
		}
		fmt.Fprintf(&out, "\nexport interface %s {\n", r.name)
		for _, f := range r.fields {
			if f.description != "" {
				fmt.Fprintf(&out, "  /** %s */\n", f.description)
			}
			mark := ""
			if f.optional {
				mark = "?"
			}
			fmt.Fprintf(&out, "  %s%s: %s;\n", f.name, mark, inTypeScript.expression(f.schema))
		}
		out.WriteString("}\n")
	}
	fmt.Fprintf(&out, "\n/** The codes of refusals. */\nexport type ErrorCode =%s;\n", alternatives(d.codes()))
	fmt.Fprintf(&out, "\n/** The names of webhooks. */\nexport type Event =%s;\n", alternatives(d.events()))
	return out.String()
}

func alternatives(names []string) string {
	var out strings.Builder
	for _, name := range names {
		fmt.Fprintf(&out, "\n  | \"%s\"", name)
	}
	return out.String()
}
