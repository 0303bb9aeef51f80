package room

import (
	"fmt"
	"strings"
)

// Chart is a drawing over time, as an SVG: bars on top of each other, or curves.
type Chart struct {
	Title  string
	Total  string
	Told   string // the drawing in words, for a screen reader; empty where Total says it
	Bars   []Bar
	Curves []Curve
	Labels []Label
	Most   string // the highest value
	Empty  string // said in place of a drawing without anything in it
	Width  int
	Height int
	Table  *Table // the values, folded below the drawing; nil for none
}

// Bar is a piece of a bar.
type Bar struct {
	Kind                string // good, warn or bad
	X, Y, Width, Height int
	Title               string
}

// Curve is a line over time, filled below. It is broken where nothing was noted.
type Curve struct {
	Kind string // how it is drawn: one, or two for another one in the same plot
	Name string // in the legend; empty when there is but one
	Line string // the path of an SVG
	Area string
}

// Label names a moment below a drawing.
type Label struct {
	X    int
	Text string
}

// Spot is the value of one span of a plot; spans count from 0.
type Spot struct {
	Span  int
	Value int64
}

// AddCurve draws values on the scale of the highest, in a plot of so many spans.
func (c *Chart) AddCurve(l Curve, spots []Spot, most int64, spans int) {
	const above = 4
	var line, area strings.Builder
	last, from := -2, 0
	right := func(i int) int { return (i + 1) * c.Width / spans }
	end := func() {
		if last >= 0 {
			fmt.Fprintf(&area, "L%d %dL%d %dZ", right(last), c.Height, from, c.Height)
		}
	}
	for _, s := range spots {
		y := c.Height - int(s.Value*int64(c.Height-above)/max(most, 1))
		if s.Span != last+1 {
			end()
			from = s.Span * c.Width / spans
			fmt.Fprintf(&line, "M%d %d", from, y)
			fmt.Fprintf(&area, "M%d %d", from, y)
		}
		fmt.Fprintf(&line, "L%d %d", right(s.Span), y)
		fmt.Fprintf(&area, "L%d %d", right(s.Span), y)
		last = s.Span
	}
	end()
	l.Line, l.Area = line.String(), area.String()
	c.Curves = append(c.Curves, l)
}
