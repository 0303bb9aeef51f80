package look

import (
	"fmt"
	"math"
	"strconv"
)

// Readable is the least contrast of a text and its background (WCAG 2.2, 1.4.3 AA).
const Readable = 4.5

// Colour is a colour of sRGB.
type Colour [3]uint8

var (
	white = Colour{255, 255, 255}
	black = Colour{}
)

// ReadColour reads #rrggbb, with or without the mark; false for anything else.
func ReadColour(text string) (out Colour, ok bool) {
	if len(text) == 7 && text[0] == '#' {
		text = text[1:]
	}
	const digits = 6
	if len(text) != digits {
		return out, false
	}
	n, err := strconv.ParseUint(text, 16, 32)
	return Colour{uint8(n >> 16), uint8(n >> 8), uint8(n)}, err == nil //nolint:gosec // a byte each
}

// String is rrggbb in small letters.
func (c Colour) String() string { return fmt.Sprintf("%02x%02x%02x", c[0], c[1], c[2]) }

// Contrast is the contrast of two colours, from 1 to 21 (WCAG 2.2).
func Contrast(a, b Colour) float64 {
	const flare = 0.05
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + flare) / (min(x, y) + flare)
}

// luminance is the relative luminance of sRGB (WCAG 2.2).
func (c Colour) luminance() (sum float64) {
	for i, weight := range [...]float64{0.2126, 0.7152, 0.0722} {
		part := float64(c[i]) / 255
		if part <= 0.04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum
}

// mixed is the colour with a share of another one.
func (c Colour) mixed(other Colour, share float64) (out Colour) {
	for i := range c {
		out[i] = uint8(math.Round(float64(c[i])*(1-share) + float64(other[i])*share))
	}
	return out
}

// towards moves the colour towards another one until it can be read on a background.
func (c Colour) towards(end, on Colour) Colour {
	const steps = 50
	for i := range steps + 1 {
		if moved := c.mixed(end, float64(i)/steps); Contrast(moved, on) >= Readable {
			return moved
		}
	}
	return end
}

// scheme are the colours of a page that follow a merchant's colour, and those that they stand on.
type scheme struct{ card, paper, strong Colour }

var (
	light = scheme{card: white, paper: Colour{0xf3, 0xf5, 0xf7}, strong: black}
	dark  = scheme{card: Colour{0x15, 0x1c, 0x22}, paper: Colour{0x0c, 0x11, 0x15}, strong: white}
)

// css writes the variables of a scheme. The colour is moved as far as it must to be read on the page's own backgrounds.
func (s scheme) css(c Colour) string {
	const tint = 0.88 // of the card in a tinted area
	worst := s.card
	if s.strong == black {
		worst = s.paper // darker than the card
	}
	accent := c.towards(s.strong, worst)
	on := white
	if Contrast(black, accent) > Contrast(white, accent) {
		on = black
	}
	back := accent.mixed(s.card, tint)
	return fmt.Sprintf("--accent: #%s; --on-accent: #%s; --accent-back: #%s; --accent-ink: #%s;", accent, on, back, accent.towards(s.strong, back))
}

// Styles is a style sheet that gives pages a merchant's colour, in light and dark.
func Styles(c Colour) string {
	return ":root { " + light.css(c) + " }\n@media (prefers-color-scheme: dark) { :root { " + dark.css(c) + " } }\n"
}
