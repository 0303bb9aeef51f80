package console

import (
	"strconv"
	"time"

	"causeway/internal/lists"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/web/room"
)

const (
	chartHeight = 120
	barWidth    = 16
	barStep     = 20
	shownDays   = 30
	labelEvery  = 7
)

func chartsPart(v *visit, out *page, _ *admin.Health, _ *holdings) error {
	now := time.Now().In(pay.DayZone)
	first := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, pay.DayZone).AddDate(0, 0, 1-shownDays)
	found, err := lists.Tallies(v.Context(), v.Store, false, first)
	if err != nil {
		return err
	}
	out.Parts = append(out.Parts, part{Charts: []chart{draw("Payins by day", "payins", found, first),
		draw("Payouts by day", "payouts", found, first)}})
	return nil
}

// kindOf is how a status is drawn.
func kindOf(status string) string {
	switch room.Moods[status] {
	case "good", "bad":
		return room.Moods[status]
	default:
		return "warn"
	}
}

// draw makes the bars of one list.
func draw(title, list string, found []lists.Tally, first time.Time) chart {
	counts := make([]map[string]int64, shownDays)
	var total int64
	for _, f := range found {
		day := int(f.Starts.Sub(first) / (24 * time.Hour))
		if f.List != list || day < 0 || day >= shownDays {
			continue
		}
		if counts[day] == nil {
			counts[day] = map[string]int64{}
		}
		counts[day][kindOf(f.Status)] += f.N
		total += f.N
	}
	most := int64(1)
	for _, day := range counts {
		most = max(most, day["good"]+day["warn"]+day["bad"])
	}
	c := chart{Title: title, Total: number(total) + " in " + strconv.Itoa(shownDays) + " days", Most: number(most),
		Width: shownDays * barStep, Height: chartHeight}
	if total == 0 {
		c.Empty = "None in " + strconv.Itoa(shownDays) + " days."
	}
	for i, day := range counts {
		at := first.AddDate(0, 0, i)
		addDay(&c, i, at.Format("2 Jan"), day, most)
		if i%labelEvery == 0 && i < shownDays-2 {
			c.Labels = append(c.Labels, label{X: i * barStep, Text: at.Format("2 Jan")})
		}
	}
	return c
}

func addDay(c *chart, i int, name string, day map[string]int64, most int64) {
	y := chartHeight
	for _, kind := range []string{"good", "warn", "bad"} {
		n := day[kind]
		if n == 0 {
			continue
		}
		height := max(int(n*(chartHeight-4)/most), 2)
		y -= height
		word := map[string]string{"good": "completed", "warn": "open", "bad": "failed"}[kind]
		c.Bars = append(c.Bars, bar{Kind: kind, X: i * barStep, Y: max(y, 0), Width: barWidth, Height: height,
			Title: name + ": " + strconv.FormatInt(n, 10) + " " + word})
	}
}
