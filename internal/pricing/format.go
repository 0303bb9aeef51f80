package pricing

import (
	"strings"

	"github.com/shopspring/decimal"
)

// significant is how many digits a price below 1 keeps (api-v1 §Versioning, get-price).
const significant = 8

// Format writes a price as get-price does, with dots between thousands and a decimal comma: 2 decimals from 1 up,
// 8 significant digits below 1, cut and not rounded (addendum §10). 63250.1 is 63.250,10.
func Format(price decimal.Decimal) string {
	places := int32(2)
	if price.LessThan(decimal.NewFromInt(1)) && price.IsPositive() {
		places = significant + leadingZeros(price)
	}
	whole, fraction, _ := strings.Cut(price.Truncate(places).StringFixed(places), ".")
	return thousands(whole) + "," + fraction
}

// leadingZeros counts the zeros between the dot and the first other digit of a number between 0 and 1.
func leadingZeros(price decimal.Decimal) int32 {
	digits := len(price.Coefficient().String())
	return -price.Exponent() - int32(digits) //nolint:gosec // a price has at most some dozens of digits
}

func thousands(whole string) string {
	var out strings.Builder
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			out.WriteByte('.')
		}
		out.WriteRune(digit)
	}
	return out.String()
}
