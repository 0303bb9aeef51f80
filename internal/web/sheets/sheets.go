// Package sheets writes tables as CSV (RFC 4180) without anything a spreadsheet computes. Every CSV of the product is written
// by it.
package sheets

import (
	"bytes"
	"regexp"
	"strings"
)

// Type is the media type of a CSV.
const Type = "text/csv; charset=utf-8"

// BOM is the byte order mark. At the beginning of a file it marks the file as UTF-8 for a spreadsheet.
const BOM = "\ufeff"

// Write appends one record. Every value is defused, and line breaks inside of values stay as they are, unlike with encoding/csv.
func Write(out *bytes.Buffer, values []string) {
	for i, value := range values {
		if i > 0 {
			out.WriteByte(',')
		}
		value = Defused(value)
		if strings.ContainsAny(value, ",\"\r\n") || strings.TrimSpace(value) != value {
			value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
		}
		out.WriteString(value)
	}
	out.WriteString("\r\n")
}

// signs begin a formula: = + - @ in ASCII, their full-width and their small forms.
const signs = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b"

var (
	// formula is the beginning of a value a spreadsheet would compute, or move into the next cell.
	formula = regexp.MustCompile("^(?:[\\t\\r]|[\\p{Zs}\"]*[" + signs + "])")
	// formulaWithin is a formula in a value where a spreadsheet separating by semicolons or tabs begins a cell.
	formulaWithin = regexp.MustCompile("([;\\t\\r\\n])([\\p{Zs}\"]*[" + signs + "])")
	number        = regexp.MustCompile(`^-?[0-9]+(?:\.[0-9]+)?$`)
)

// Defused returns a value with an apostrophe before each formula, making it a text. A plain decimal, also below zero, stays.
func Defused(value string) string {
	if number.MatchString(value) {
		return value
	}
	if formula.MatchString(value) {
		value = "'" + value
	}
	if strings.ContainsAny(value, ";\t\r\n") {
		value = formulaWithin.ReplaceAllString(value, "$1'$2")
	}
	return value
}
