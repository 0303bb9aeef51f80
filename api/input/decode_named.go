package input

import (
	"bytes"
	"slices"
)

// fieldNames are the names read by the operations. A name missing here is found all the same, only slower.
var fieldNames = []string{
	"wallet", "crypto_currency", "process_by", "reference_id", "network", "feetakenfromamount", "webhook_url", "fiat_currency",
	"crypto_amount", "fiat_amount", "customer_info", "return_url", "cancel_url", "memo", "payin", "amount", "expires_at", "type", DryRun,
}

// mostGiven is for how many of fieldNames there is room at once: an item of a payout rarely has more.
const mostGiven = 10

// field is a member of an object under one of fieldNames.
type field struct {
	name string
	raw  []byte
}

// pick walks an object once and keeps the values under fieldNames: a MiB has room for a hundred thousand names, and a
// batch asks 50 objects for a dozen each. others reports whether there are more names.
func pick(text []byte) (known []field, others bool) {
	known = make([]field, 0, mostGiven)
	for m := membersOf(text); m.next(); {
		if name := fieldNamed(m.name); name != "" {
			known = append(known, field{name, m.value})
		} else {
			others = true
		}
	}
	return known, others
}

// fieldNamed returns the one of fieldNames equal to a quoted JSON name, or "".
func fieldNamed(quoted []byte) string {
	plain, inside := bytes.IndexByte(quoted, '\\') < 0, quoted[1:len(quoted)-1]
	for _, name := range fieldNames {
		if plain && string(inside) == name || !plain && sameName(quoted, name) {
			return name
		}
	}
	return ""
}

// known returns the value under a name. If certain, nothing else stands there: the name is one of fieldNames.
func (o Object) known(name string) (raw []byte, certain bool) {
	for _, f := range o.fields {
		if f.name == name {
			return f.raw, true
		}
	}
	return nil, slices.Contains(fieldNames, name)
}
