package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/ops/admin"
	"causeway/internal/store"
)

// curve is a line over time, filled below. It is broken where nothing was noted.
type curve struct {
	Kind   string // how it is drawn: one, or two for another one in the same plot
	Name   string // in the legend; empty when there is but one
	Line   string // the path of an SVG
	Area   string
	points []point
}

type point struct {
	at    time.Time
	value int64
}

// The plots show so many spans, and name so many moments below.
const (
	plotSpans  = 144
	plotLabels = 6
)

// plot is one plot of samples: their name, and how their values are written.
type plot struct {
	title, name string
	write       func(int64) string
}

var plots = []plot{
	{"Blocks behind, slowest network", "lag", number},
	{"Due jobs", "due", number},
	{"Oldest due job", "waits", admin.Span},
}

// ranges are for how long the plots look back, as the address has it in days.
var ranges = []struct {
	days int
	name string
}{{1, "24 hours"}, {7, "7 days"}}

func cents(n int64) string { return dollars(decimal.New(n, -2)) }

// plotsPart draws how everything ran, over the time asked for.
func plotsPart(v *visit, out *page, _ *admin.Health, _ *holdings) error {
	chosen := 0
	links := make([]link, len(ranges))
	for i, r := range ranges {
		links[i] = link{Text: r.name, Href: query(Prefix, "days", strconv.Itoa(r.days))}
		if v.Ask("days") == strconv.Itoa(r.days) {
			chosen = i
		}
	}
	links[chosen].Href = "" // the page shown now
	length := time.Duration(ranges[chosen].days) * 24 * time.Hour
	span := length / plotSpans
	first := time.Now().Add(span - length).Truncate(span)
	found, err := v.Store.Samples(v.Context(), first, span)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		out.Parts = append(out.Parts, part{Heading: "Recent activity", Links: links,
			Note: "The scheduler records these figures every minute. It has recorded none in this period."})
		return nil
	}
	charts := []chart{drawVolume(found, first, span)}
	for _, p := range plots {
		charts = append(charts, p.draw(found, first, span))
	}
	out.Parts = append(out.Parts, part{Heading: "Recent activity", Links: links, Charts: charts})
	return nil
}

// draw makes a plot of the samples of one name.
func (p plot) draw(found []store.Sampled, first time.Time, span time.Duration) chart {
	c := newPlot(p.title, first, span)
	line := curve{Kind: "one"}
	var top store.Sampled
	for _, f := range found {
		if f.Name != p.name {
			continue
		}
		line.points = append(line.points, point{f.At, f.Most})
		if f.Most > top.Most {
			top = f
		}
	}
	if n := len(line.points); n > 0 {
		c.Total = "now " + p.write(line.points[n-1].value)
	}
	c.Most = p.write(top.Most)
	if len(line.points) == 0 {
		c.Empty = "Nothing was recorded in this period."
	}
	if top.Most > 0 {
		c.Total += ", at most " + c.Most + " at " + top.At.UTC().Format("15:04")
		if top.Worst != "" {
			c.Total += " (" + top.Worst + ")"
		}
	}
	c.addCurve(line, top.Most, first, span)
	return c
}

// drawVolume makes the plot of payins and payouts.
func drawVolume(found []store.Sampled, first time.Time, span time.Duration) chart {
	c := newPlot("Volume", first, span)
	in, gone := curve{Kind: "one", Name: "Payins"}, curve{Kind: "two", Name: "Payouts"}
	var most, came, went int64
	for _, f := range found {
		switch {
		case f.Name != "volume":
			continue
		case f.Line == "payins":
			in.points, came = append(in.points, point{f.At, f.Total}), came+f.Total
		default:
			gone.points, went = append(gone.points, point{f.At, f.Total}), went+f.Total
		}
		most = max(most, f.Total)
	}
	c.Total, c.Most = fmt.Sprintf("%s in, %s out", cents(came), cents(went)), cents(most)
	if most == 0 {
		c.Empty = "Nothing moved in this period."
	}
	c.addCurve(in, most, first, span)
	c.addCurve(gone, most, first, span)
	return c
}

func newPlot(title string, first time.Time, span time.Duration) chart {
	c := chart{Title: title, Width: shownDays * barStep, Height: chartHeight}
	form := "15:04"
	if span*plotSpans > 24*time.Hour {
		form = "2 Jan"
	}
	for i := range plotLabels {
		at := i * plotSpans / plotLabels
		c.Labels = append(c.Labels, label{at * c.Width / plotSpans, first.Add(time.Duration(at) * span).UTC().Format(form)})
	}
	return c
}

// addCurve draws points on the scale of the highest.
func (c *chart) addCurve(l curve, most int64, first time.Time, span time.Duration) {
	const above = 4
	var line, area strings.Builder
	last, from := -2, 0
	close := func() {
		if last >= 0 {
			fmt.Fprintf(&area, "L%d %dL%d %dZ", c.right(last), c.Height, from, c.Height)
		}
	}
	for _, p := range l.points {
		i := int(p.at.Sub(first) / span)
		y := c.Height - int(p.value*int64(c.Height-above)/max(most, 1))
		if i != last+1 {
			close()
			from = i * c.Width / plotSpans
			fmt.Fprintf(&line, "M%d %d", from, y)
			fmt.Fprintf(&area, "M%d %d", from, y)
		}
		fmt.Fprintf(&line, "L%d %d", c.right(i), y)
		fmt.Fprintf(&area, "L%d %d", c.right(i), y)
		last = i
	}
	close()
	l.Line, l.Area = line.String(), area.String()
	c.Curves = append(c.Curves, l)
}

// right is where a span ends.
func (c *chart) right(i int) int { return (i + 1) * c.Width / plotSpans }
