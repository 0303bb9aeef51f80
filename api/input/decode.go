package input

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// Found is the kind of value under a name in a request.
type Found int

// The kinds of value.
const (
	Absent Found = iota // no such name, or null
	Wrong               // another type or form than asked for
	Zero                // the number zero; only where it means something else than Given
	Given
)

// Object is a JSON object of a scanned body. Its values are parts of the received text, read when they are asked for;
// amounts never pass through a float (addendum §6). Names match exactly.
type Object struct {
	text   []byte
	fields []field // those of fieldNames, see pick
	others bool    // it has names outside fieldNames
}

// Len returns how many names the object has.
func (o Object) Len() (n int) {
	for m := membersOf(o.text); m.next(); {
		n++
	}
	return n
}

// Raw returns the text under name as it was sent; nil when absent or null.
func (o Object) Raw(name string) []byte {
	if raw, certain := o.known(name); certain {
		return notNull(raw)
	}
	for m := membersOf(o.text); m.next(); {
		if sameName(m.name, name) {
			return notNull(m.value)
		}
	}
	return nil
}

// Has reports whether an object has a name at all, be it with null.
func (o Object) Has(name string) bool {
	for m := membersOf(o.text); m.next(); {
		if sameName(m.name, name) {
			return true
		}
	}
	return false
}

func notNull(raw []byte) []byte {
	if len(raw) > 0 && raw[0] == 'n' {
		return nil
	}
	return raw
}

// Text reads a JSON string.
func (o Object) Text(name string) (string, Found) {
	raw := o.Raw(name)
	if raw == nil {
		return "", Absent
	}
	return unquoted(raw)
}

func unquoted(raw []byte) (string, Found) {
	if raw[0] != isText {
		return "", Wrong
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), Given
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return "", Wrong
	}
	return text, Given
}

// scalar returns the text of a string or of a number; Wrong for every other type.
func scalar(raw []byte) (string, Found) {
	switch {
	case raw == nil:
		return "", Absent
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return string(raw), Given
	default:
		return unquoted(raw)
	}
}

var integerForm = regexp.MustCompile(`^-?[0-9]+$`)

// TextOrInteger reads a reference: a JSON string as it is, or an integer as its digits (api-v1 §Payout request object).
func (o Object) TextOrInteger(name string) (string, Found) {
	raw := o.Raw(name)
	text, found := scalar(raw)
	if found == Given && raw[0] != isText && !integerForm.MatchString(text) {
		return "", Wrong
	}
	return text, found
}

// zeroFraction is an allowed end of a whole JSON number: 60.0 is 60, as in JSON Schema (addendum §13).
var zeroFraction = regexp.MustCompile(`\.0+$`)

// wholeNumber is scalar with the zero fraction of a number cut off. A string stays as it is.
func wholeNumber(raw []byte) (string, Found) {
	text, found := scalar(raw)
	if found == Given && raw[0] != isText && strings.IndexByte(text, '.') > 0 {
		text = zeroFraction.ReplaceAllString(text, "")
	}
	return text, found
}

// Integer reads a whole JSON number without exponent. A string is Wrong, and so is a number too large.
func (o Object) Integer(name string) (int64, Found) {
	raw := o.Raw(name)
	text, found := wholeNumber(raw)
	if found != Given {
		return 0, found
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if raw[0] == isText || err != nil {
		return 0, Wrong
	}
	return n, Given
}

// Bit reads 0 or 1, as a number or as a string (api-v1 feetakenfromamount).
func (o Object) Bit(name string) (bool, Found) {
	text, found := wholeNumber(o.Raw(name))
	switch {
	case found != Given:
		return false, found
	case text == "0" || text == "1":
		return text == "1", Given
	default:
		return false, Wrong
	}
}

// Amount reads a plain decimal, string or number, by AmountIn.
func (o Object) Amount(name string) (decimal.Decimal, Found) {
	text, found := scalar(o.Raw(name))
	if found != Given {
		return decimal.Zero, found
	}
	return AmountIn(text)
}

// An amount: digits on both sides of an optional dot, at most 30 each (addendum §6). No sign, exponent, blank or
// separator. Nothing else reaches the decimal parser.
var amountForm = regexp.MustCompile(`^[0-9]{1,30}(?:\.[0-9]{1,30})?$`)

const longestAmount = 30 + 1 + 30

// AmountIn reads the text of an amount: Wrong, Zero (however written) or Given.
func AmountIn(text string) (decimal.Decimal, Found) {
	if len(text) > longestAmount || !amountForm.MatchString(text) {
		return decimal.Zero, Wrong
	}
	amount, err := decimal.NewFromString(text)
	if err != nil {
		return decimal.Zero, Wrong
	}
	if amount.IsZero() {
		return decimal.Zero, Zero
	}
	return amount, Given
}
