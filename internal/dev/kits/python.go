package main

import (
	"fmt"
	"strings"
)

var inPython = words{
	kinds: map[string]string{"string": "str", "integer": "int", "boolean": "bool", "object": "dict[str, Any]", "any": "Any", "null": "None"},
	list:  func(of string) string { return "list[" + of + "]" },
	byKey: func(of string) string { return "dict[str, " + of + "]" },
	null:  "None",
	value: func(values []string) string {
		return "Literal[" + strings.NewReplacer("true", "True", "false", "False").Replace(strings.Join(values, ", ")) + "]"
	},
}

// python writes a TypedDict for each object, and another name for every other type.
func python(d *document) string {
	var out strings.Builder
	out.WriteString("# Written by `make kits` from the OpenAPI document. Do not edit.\n" +
		"\"\"\"The bodies and answers of the API. Amounts are decimals in text.\"\"\"\n\n" +
		"from __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypeAlias, TypedDict\n")
	for _, r := range d.records() {
		if r.fields == nil {
			fmt.Fprintf(&out, "\n\n%s: TypeAlias = \"%s\"\n", r.name, strings.ReplaceAll(inPython.expression(r.alias), `"`, "'"))
			continue
		}
		fmt.Fprintf(&out, "\n\nclass %s(TypedDict):\n", r.name)
		for _, f := range r.fields {
			kind := inPython.expression(f.schema)
			if f.optional {
				kind = "NotRequired[" + kind + "]"
			}
			if f.description != "" {
				fmt.Fprintf(&out, "    # %s\n", f.description)
			}
			fmt.Fprintf(&out, "    %s: %s\n", f.name, kind)
		}
	}
	fmt.Fprintf(&out, "\n\n# The codes of refusals.\nErrorCode: TypeAlias = Literal[\n%s]\n", quoted(d.codes()))
	fmt.Fprintf(&out, "\n# The names of webhooks.\nEvent: TypeAlias = Literal[\n%s]\n", quoted(d.events()))
	return out.String()
}

func quoted(names []string) string {
	var out strings.Builder
	for _, name := range names {
		fmt.Fprintf(&out, "    \"%s\",\n", name)
	}
	return out.String()
}
