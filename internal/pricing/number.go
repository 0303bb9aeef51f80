package pricing

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/shopspring/decimal"
)

// numberForm is what a source may write as a price: plain, or with a small exponent.
var numberForm = regexp.MustCompile(`^[0-9]{1,30}(\.[0-9]{1,60})?([eE][-+]?[0-9]{1,2})?$`)

// longestNumber is how long the text of a price may be; nothing longer is looked at.
const longestNumber = 100

// The prices that are believed. What lies outside is a source's mistake, whatever it was meant to be.
var (
	leastPrice   = decimal.New(1, -12)
	highestPrice = decimal.New(1, 12)
)

// number reads a JSON number, or a string that holds one, from its text. Anything else is no number.
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

// price reads what number reads, when it is believable.
func price(raw json.RawMessage) (decimal.Decimal, bool) {
	d, ok := number(raw)
	return d, ok && believable(d)
}

// reciprocal is 1/price of a believable price, cut to Places.
func reciprocal(price decimal.Decimal) decimal.Decimal {
	r, _ := one.QuoRem(price, Places)
	return r
}
