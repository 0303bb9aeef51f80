package console

import (
	"fmt"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/ops/admin"
	"causeway/internal/store"
	"causeway/internal/web/room"
)

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
	var line []room.Spot
	var top store.Sampled
	for _, f := range found {
		if f.Name != p.name {
			continue
		}
		line = append(line, room.Spot{Span: int(f.At.Sub(first) / span), Value: f.Most})
		if f.Most > top.Most {
			top = f
		}
	}
	if n := len(line); n > 0 {
		c.Total = "now " + p.write(line[n-1].Value)
	}
	c.Most = p.write(top.Most)
	if len(line) == 0 {
		c.Empty = "Nothing was recorded in this period."
	}
	if top.Most > 0 {
		c.Total += ", at most " + c.Most + " at " + top.At.UTC().Format("15:04")
		if top.Worst != "" {
			c.Total += " (" + top.Worst + ")"
		}
	}
	c.AddCurve(room.Curve{Kind: "one"}, line, top.Most, plotSpans)
	return c
}

// drawVolume makes the plot of payins and payouts.
func drawVolume(found []store.Sampled, first time.Time, span time.Duration) chart {
	c := newPlot("Volume", first, span)
	var in, gone []room.Spot
	var most, came, went int64
	for _, f := range found {
		spot := room.Spot{Span: int(f.At.Sub(first) / span), Value: f.Total}
		switch {
		case f.Name != "volume":
			continue
		case f.Line == "payins":
			in, came = append(in, spot), came+f.Total
		default:
			gone, went = append(gone, spot), went+f.Total
		}
		most = max(most, f.Total)
	}
	c.Total, c.Most = fmt.Sprintf("%s in, %s out", cents(came), cents(went)), cents(most)
	if most == 0 {
		c.Empty = "Nothing moved in this period."
	}
	c.AddCurve(room.Curve{Kind: "one", Name: "Payins"}, in, most, plotSpans)
	c.AddCurve(room.Curve{Kind: "two", Name: "Payouts"}, gone, most, plotSpans)
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
		c.Labels = append(c.Labels, label{X: at * c.Width / plotSpans, Text: first.Add(time.Duration(at) * span).UTC().Format(form)})
	}
	return c
}
