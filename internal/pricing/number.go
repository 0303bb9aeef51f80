package pricing

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/shopspring/decimal"
)

// numberForm is the form of a source's price: plain, or with a small exponent.
var numberForm = regexp.MustCompile(`^[0-9]{1,30}(\.[0-9]{1,60})?([eE][-+]?[0-9]{1,2})?$`)

// longestNumber is how long the text of a price may be; nothing longer is looked at.
const longestNumber = 100

// The limits of a believable price. A price outside is a source's mistake.
var (
	leastPrice   = decimal.New(1, -12)
	highestPrice = decimal.New(1, 12)
)

// number reads a JSON number, or a string with a number in it, from its text. Anything else is no number.
func number(raw json.RawMessage) (decimal.Decimal, bool) {
	if len(raw) > longestNumber {
		return decimal.Zero, false
	}
	text := string(raw)
	if unquoted, ok := strings.CutPrefix(text, `"`); ok {
		text = strings.TrimSuffix(unquoted, `"`)
	}
	if !numberForm.MatchString(text) {
		return decimal.Zero, false
	}
	d, err := decimal.NewFromString(text)
	return d, err == nil
}

// believable reports whether a number may be a price or the reciprocal of one.
func believable(d decimal.Decimal) bool {
	return d.GreaterThanOrEqual(leastPrice) && d.LessThanOrEqual(highestPrice)
}

// price reads a number and checks that it is believable.
func price(raw json.RawMessage) (decimal.Decimal, bool) {
	d, ok := number(raw)
	return d, ok && believable(d)
}

// reciprocal is 1/price of a believable price, cut to Places.
func reciprocal(price decimal.Decimal) decimal.Decimal {
	r, _ := one.QuoRem(price, Places)
	return r
}
