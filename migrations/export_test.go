package migrations

import "strings"

// MakeRoles makes the missing roles.
var MakeRoles = makeRoles

// FunctionsWithRights are the functions of the table of rights.
func FunctionsWithRights() []string {
	var out []string
	for _, f := range functions {
		name, _, _ := strings.Cut(f.name, "(")
		out = append(out, name)
	}
	return out
}

// TablesWithRights are the tables of the table of rights.
func TablesWithRights() []string {
	var out []string
	for _, r := range rights {
		out = append(out, r.table)
	}
	return out
}
