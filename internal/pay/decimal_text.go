package pay

import (
	"strconv"

	"github.com/shopspring/decimal"
)

// tens are the powers of ten in an int64.
var tens = func() (out [19]int64) {
	for i, power := 0, int64(1); i < len(out); i, power = i+1, power*10 {
		out[i] = power
	}
	return out
}()

// DecimalText returns d.String(). Amounts of up to 18 digits, as most are, cost a fraction of it: they need no big.Int.
func DecimalText(d decimal.Decimal) string {
	scale := -int(d.Exponent())
	if scale < 0 || scale >= len(tens) || d.NumDigits() >= len(tens) {
		return d.String()
	}
	n := d.CoefficientInt64()
	for scale > 0 && n%10 == 0 {
		n, scale = n/10, scale-1
	}
	if scale == 0 {
		return strconv.FormatInt(n, 10)
	}
	var room [24]byte
	out := room[:0]
	if n < 0 {
		out, n = append(out, '-'), -n
	}
	out = strconv.AppendInt(out, n/tens[scale], 10)
	point := len(out)
	out = strconv.AppendInt(out, tens[scale]+n%tens[scale], 10) // its first digit is a 1, in the place of the point
	out[point] = '.'
	return string(out)
}
