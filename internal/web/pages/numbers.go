package pages

import "strings"

// Marks are the two signs in a written number.
type Marks struct {
	Group string // between groups of three digits
	Point string // before the decimals
}

// Write writes a plain decimal, such as "-1234.5", with these marks. The minus is as wide as a digit.
func (m Marks) Write(number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	digits, minus := strings.CutPrefix(whole, "-")
	var out strings.Builder
	if minus {
		out.WriteRune('\u2212')
	}
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteString(m.Group)
		}
		out.WriteRune(d)
	}
	if fraction != "" {
		out.WriteString(m.Point + fraction)
	}
	return out.String()
}

// Grouped writes a plain decimal with thin spaces between groups and a point.
func Grouped(number string) string { return Marks{Group: "\u202f", Point: "."}.Write(number) }
