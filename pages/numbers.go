package pages

import "strings"

// Grouped writes a plain decimal in groups of three digits before the point, with a minus that is as wide as they are.
func Grouped(number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	digits, minus := strings.CutPrefix(whole, "-")
	var out strings.Builder
	if minus {
		out.WriteRune('\u2212')
	}
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteRune('\u202f')
		}
		out.WriteRune(d)
	}
	if fraction != "" {
		out.WriteString("." + fraction)
	}
	return out.String()
}
