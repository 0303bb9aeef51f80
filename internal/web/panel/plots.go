package panel

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/web/room"
	"causeway/ledger"
)

// The plots show so many assets, and name so many days below.
const (
	mostPlots  = 6
	plotLabels = 6
	plotWidth  = 600
	plotHeight = 120
)

// plotRanges are for how many days the plots look back.
var plotRanges = []struct {
	days int
	name string
}{{30, "30 days"}, {90, "90 days"}, {365, "1 year"}}

// plotsPart draws the balances at the end of each day, over the time asked for. Assets worth most come first.
func plotsPart(v *visit, held map[string]ledger.Balance, worth func(decimal.Decimal, string) (decimal.Decimal, bool)) (room.Part, error) {
	if len(held) == 0 {
		return room.Part{}, nil
	}
	out, chosen := room.Part{Heading: "Over time", Note: "Balances at the end of each day in UTC, available and locked together. " +
		"Prices of past days are not kept, so these are amounts."}, 0
	for i, r := range plotRanges {
		out.Links = append(out.Links, room.Link{Text: r.name, Href: room.Query(Prefix, "days", strconv.Itoa(r.days))})
		if v.Ask("days") == strconv.Itoa(r.days) {
			chosen = i
		}
	}
	out.Links[chosen].Href = "" // the page shown now
	assets := byWorth(held, worth)
	if rest := len(assets) - mostPlots; rest > 0 {
		assets = assets[:mostPlots]
		out.Note += fmt.Sprintf(" The %d worth most now are drawn.", mostPlots)
	}
	days := daysBefore(time.Now().UTC(), plotRanges[chosen].days)
	ends := make([]time.Time, len(days))
	for i, d := range days {
		ends[i] = d.AddDate(0, 0, 1)
	}
	found, err := ledger.Closings(v.Context(), v.panel.Store.Q, v.Merchant, assets, ends)
	if err != nil {
		return out, err
	}
	for _, asset := range assets {
		if slices.ContainsFunc(found[asset], decimal.Decimal.IsPositive) {
			out.Charts = append(out.Charts, drawBalance(asset, days, found[asset]))
		}
	}
	if out.Charts == nil {
		out.Note = "Nothing was held in this time."
	}
	return out, nil
}

// byWorth returns the assets with those worth most first; assets without a price come after them, and empty ones last.
func byWorth(held map[string]ledger.Balance, worth func(decimal.Decimal, string) (decimal.Decimal, bool)) []string {
	out, sums := sorted(held), map[string]decimal.Decimal{}
	for asset, b := range held {
		sum, known := worth(b.Total(), asset)
		if !known && b.Total().IsPositive() {
			sum = decimal.New(1, -worthDigits-1) // less than any worth
		}
		sums[asset] = sum
	}
	slices.SortStableFunc(out, func(a, b string) int { return sums[b].Cmp(sums[a]) })
	return out
}

// daysBefore returns the beginnings of so many days in UTC; the last one is the day of now.
func daysBefore(now time.Time, n int) []time.Time {
	out := make([]time.Time, n)
	for i := range out {
		out[i] = time.Date(now.Year(), now.Month(), now.Day()-n+1+i, 0, 0, 0, 0, time.UTC)
	}
	return out
}

// drawBalance plots one asset, with its figures in a table.
func drawBalance(asset string, days []time.Time, balances []decimal.Decimal) room.Chart {
	const scale = 1_000_000
	last, top := len(days)-1, 0
	for i, b := range balances {
		if b.GreaterThan(balances[top]) {
			top = i
		}
	}
	spots := make([]room.Spot, len(days))
	t := &room.Table{Columns: []room.Column{{Name: "Day"}, {Name: "Balance in " + asset, Right: true}}}
	for i, b := range balances {
		spots[i] = room.Spot{Span: i, Value: max(int64(b.InexactFloat64()/balances[top].InexactFloat64()*scale), 0)} // a debt is drawn as nothing
	}
	for i := last; i >= 0; i-- {
		t.Rows = append(t.Rows, []room.Cell{room.Text(days[i].Format(time.DateOnly)), room.Text(room.Grouped(balances[i]))})
	}
	now, most := room.Grouped(balances[last]), room.Grouped(balances[top])
	c := room.Chart{Title: asset, Total: "now " + now, Most: most, Width: plotWidth, Height: plotHeight, Table: t,
		Told: fmt.Sprintf("Balance of %s at the end of each day from %s to %s: %s at first, at most %s on %s, %s now.", asset, days[0].Format(time.DateOnly),
			days[last].Format(time.DateOnly), room.Grouped(balances[0]), most, days[top].Format(time.DateOnly), now)}
	c.AddCurve(room.Curve{Kind: "one"}, spots, scale, len(days))
	for i := range plotLabels {
		at := i * len(days) / plotLabels
		c.Labels = append(c.Labels, room.Label{X: at * plotWidth / len(days), Text: days[at].Format(labelForm(len(days)))})
	}
	return c
}

// labelForm is how days are written below a plot of so many.
func labelForm(days int) string {
	if days > 180 {
		return "Jan 2006"
	}
	return "2 Jan"
}
