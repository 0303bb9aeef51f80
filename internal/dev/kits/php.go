package main

import (
	"fmt"
	"strings"
)

var inPHP = words{
	kinds: map[string]string{"string": "string", "integer": "int", "boolean": "bool", "object": "array<string, mixed>", "any": "mixed", "null": "null"},
	list:  func(of string) string { return "list<" + of + ">" },
	byKey: func(of string) string { return "array<string, " + of + ">" },
	null:  "null",
	value: func(values []string) string { return strings.ReplaceAll(strings.Join(values, " | "), `"`, "'") },
}

// php writes the shape of each array, in the form read by PHPStan, Psalm and editors. A shape has no place for descriptions.
func php(d *document) string {
	var out strings.Builder
	out.WriteString("<?php\n\n// Written by `make kits` from the OpenAPI document. Do not edit.\n\ndeclare(strict_types=1);\n\nnamespace Causeway;\n\n" +
		"/**\n * The bodies and answers of the API. Amounts are decimals in text.\n *\n")
	for _, r := range d.records() {
		if r.fields == nil {
			fmt.Fprintf(&out, " * @phpstan-type %s %s\n", r.name, inPHP.expression(r.alias))
			continue
		}
		fmt.Fprintf(&out, " * @phpstan-type %s array{\n", r.name)
		for _, f := range r.fields {
			mark := ""
			if f.optional {
				mark = "?"
			}
			fmt.Fprintf(&out, " *   %s%s: %s,\n", f.name, mark, inPHP.expression(f.schema))
		}
		out.WriteString(" * }\n")
	}
	fmt.Fprintf(&out, " * @phpstan-type ErrorCode '%s'\n", strings.Join(d.codes(), "'|'"))
	fmt.Fprintf(&out, " * @phpstan-type Event '%s'\n", strings.Join(d.events(), "'|'"))
	out.WriteString(" */\ninterface Types\n{\n}\n")
	return out.String()
}
