package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// row is one line of the result.
type row struct {
	what      string
	measured  float64
	unit      string
	p50, p99  time.Duration
	beside    float64 // the figure to compare with, measured in the same run; 0 when nothing
	bar       float64 // least ratio, or most of the unit when ceiling
	ceiling   bool
	dearer    bool          // the bar is the most ratio
	atLeast   float64       // bar of measured
	latestP99 time.Duration // bar of p99
	cpu       string        // processor time of one, by process
}

func (r row) ratio() float64 { return r.measured / r.beside }

// verdict is whether the bar is met; empty without one.
func (r row) verdict() string {
	switch {
	case r.bar == 0 && r.atLeast == 0:
		return ""
	case r.misses():
		return "no"
	default:
		return "yes"
	}
}

func (r row) misses() bool {
	if r.latestP99 > 0 && r.p99 > r.latestP99 || r.measured < r.atLeast {
		return true
	}
	switch {
	case r.ceiling:
		return r.measured > r.bar
	case r.dearer:
		return r.ratio() > r.bar
	default:
		return r.ratio() < r.bar
	}
}

// table is the result of a run.
type table struct {
	head  string
	rows  []row
	asked []asked
}

// asked is how often the node of a network was asked.
type asked struct {
	network    string
	pace       time.Duration
	rest, load perMinute
}

// perMinute is how often a node was asked a minute.
type perMinute struct{ requests, calls float64 }

func (t *table) add(r row) { t.rows = append(t.rows, r) }

func (t *table) print(out io.Writer) {
	fmt.Fprintf(out, "\n%s, %s\n\n", time.Now().UTC().Format(time.DateOnly), t.head)
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| what\t| measured\t| p50\t| p99\t| beside\t| ratio\t| bar\t| met\t| processor time of one\t|")
	fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, r := range t.rows {
		fmt.Fprintf(w, "| %s\t| %s %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t|\n", r.what, number(r.measured), r.unit,
			short(r.p50), short(r.p99), blank(r.beside, number),
			blank(r.beside, func(float64) string { return fmt.Sprintf("%.2f", r.ratio()) }), r.barText(), r.verdict(), r.cpu)
	}
	_ = w.Flush()
	t.printAsked(out)
}

// printAsked prints a line for each network, in the form of the documents.
func (t *table) printAsked(out io.Writer) {
	if len(t.asked) == 0 {
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "\n| network\t| a block each\t| requests a minute at rest\t| calls in them\t| requests a minute under load\t| calls in them\t|")
	fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, a := range t.asked {
		fmt.Fprintf(w, "| %s\t| %s\t| %.0f\t| %.0f\t| %.0f\t| %.0f\t|\n", a.network, a.pace, a.rest.requests, a.rest.calls, a.load.requests, a.load.calls)
	}
	_ = w.Flush()
}

func (r row) barText() string {
	text := ""
	switch {
	case r.atLeast > 0:
		text = number(r.atLeast) + " " + r.unit
	case r.bar == 0:
		return ""
	case r.ceiling || r.dearer:
		text = "≤ " + number(r.bar)
	default:
		text = fmt.Sprintf("≥ %.2f", r.bar)
	}
	if r.latestP99 > 0 {
		text += ", p99 ≤ " + short(r.latestP99)
	}
	return text
}

func blank(v float64, text func(float64) string) string {
	if v == 0 {
		return ""
	}
	return text(v)
}

func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func short(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.Round(100 * time.Microsecond).String()
}

// inRounds measures several times beside something else, one after the other, and returns the pair of the median ratio.
func (b *bench) inRounds(beside func() (float64, error), measure func() (row, error)) (row, error) {
	var all []row
	for range b.rounds {
		reference, err := beside()
		if err != nil {
			return row{}, err
		}
		r, err := measure()
		if err != nil {
			return row{}, err
		}
		r.beside = reference
		b.say("%s: %.0f %s (p50 %s, p99 %s) beside %.0f, %.2f; %s", r.what, r.measured, r.unit, short(r.p50), short(r.p99), r.beside,
			r.ratio(), r.cpu)
		all = append(all, r)
	}
	slices.SortFunc(all, func(x, y row) int { return cmp.Compare(x.ratio(), y.ratio()) })
	return all[len(all)/2], nil
}
