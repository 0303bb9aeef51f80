package input

import (
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
	return f.invalid()
}

func (f FieldErrors) invalid() *pay.Error {
	return f.As("invalid_parameters", "Some parameters are missing or invalid.")
}

// As returns the collected fields under another code, such as missing_required_fields.
func (f FieldErrors) As(code, message string) *pay.Error {
	return pay.E(pay.Invalid, code, message).With("fields", f)
}

// WrongField is the invalid_parameters of one field.
func WrongField(field, message string) *pay.Error {
	return FieldErrors{field: message}.invalid()
}
