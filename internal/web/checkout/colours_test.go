package checkout

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var colour = regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6})`)

// Every text stands out from its background by 4.5 to 1 or more, in light and dark (WCAG 2.2, 1.4.3 AA).
func TestContrast(t *testing.T) {
	t.Parallel()
	content, err := files.ReadFile("pages/pay.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, ok := strings.Cut(string(content), "prefers-color-scheme: dark")
	if !ok {
		t.Fatal("there is no dark scheme")
	}
	pairs := [][2]string{
		{"ink", "paper"}, {"quiet", "paper"}, {"ink", "card"}, {"quiet", "card"}, {"ink", "field"}, {"quiet", "field"},
		{"accent-ink", "accent-back"}, {"on-accent", "accent"}, {"warn", "warn-back"}, {"ink", "warn-back"}, {"bad", "bad-back"},
		{"good", "good-back"}, {"good", "card"}, {"bad", "card"}, {"card", "warn"},
	}
	for scheme, css := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]float64{}
		for _, found := range colour.FindAllStringSubmatch(css, -1) {
			colours[found[1]] = luminance(found[2])
		}
		for _, p := range pairs {
			a, b := colours[p[0]], colours[p[1]]
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
				t.Errorf("%s: %s on %s has %.2f", scheme, p[0], p[1], ratio)
			}
		}
	}
}

// luminance is the relative luminance of sRGB (WCAG 2.2).
func luminance(hex string) (sum float64) {
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part, _ := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		c := float64(part) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
