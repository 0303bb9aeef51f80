package api

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"causeway/internal/pay"
)

// FieldErrors collects the faults of a request, field by field; the first message of a field stays.
type FieldErrors map[string]string

// Add records the fault of a field.
func (f FieldErrors) Add(field, message string) {
	if _, said := f[field]; !said {
		f[field] = message
	}
}

// Under adds the faults of another collector, their names behind prefix and a dot: "0.wallet" (api-v1 §POST /v1/payout).
func (f FieldErrors) Under(prefix string, other FieldErrors) {
	for field, message := range other {
		f.Add(prefix+"."+field, message)
	}
}

// Err returns 400 invalid_parameters with details.fields, or nil without faults.
func (f FieldErrors) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f.As("invalid_parameters", "Some parameters are missing or invalid.")
}

// As returns the collected fields under another code, such as missing_required_fields.
func (f FieldErrors) As(code, message string) *pay.Error {
	return pay.E(pay.Invalid, code, message).With("fields", f)
}

// within reports whether text has least to most characters (not bytes).
func within(text string, least, most int) bool {
	if len(text) > most*utf8.UTFMax {
		return false
	}
	n := utf8.RuneCountInString(text)
	return n >= least && n <= most
}

// spaceless reports whether text has no white space of any script.
func spaceless(text string) bool { return strings.IndexFunc(text, unicode.IsSpace) < 0 }
