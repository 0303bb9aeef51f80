package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// report is the result of a run.
type report struct {
	Seed     uint64         `json:"seed"`
	At       time.Time      `json:"at"`
	Machine  string         `json:"machine"`
	Storm    string         `json:"storm"`
	Drain    string         `json:"drain"`
	Headline map[string]int `json:"headline"`
	Done     map[string]any `json:"done_to_it"`
	Figures  map[string]any `json:"figures"`
	Wrong    []finding      `json:"wrong"`
	Beside   *report        `json:"beside,omitempty"` // of the sandbox beside live books
	counted  map[string]int
	summed   map[string]decimal.Decimal
	position map[string]int // of a check in Wrong
}

// finding is a failed check.
type finding struct {
	Check    string   `json:"check"`
	Times    int      `json:"times"`
	Examples []string `json:"examples"`
}

const examples = 5

func (r *report) add(check, example string) {
	i, known := r.position[check]
	if !known {
		i = len(r.Wrong)
		r.position[check] = i
		r.Wrong = append(r.Wrong, finding{Check: check})
	}
	f := &r.Wrong[i]
	if f.Times++; len(f.Examples) < examples {
		f.Examples = append(f.Examples, example)
	}
}

func (r *report) count(what string, n int) { r.counted[what] += n }

func (r *report) sum(what string, amount decimal.Decimal, really bool) {
	if really {
		r.summed[what] = r.summed[what].Add(amount)
	}
}

// figures begins the report with everything done to the installation.
func (t *torture) figures() *report {
	r := &report{Seed: t.seed, At: t.started.UTC(), Machine: fmt.Sprintf("%d cores, %s/%s, %s", runtime.NumCPU(), runtime.GOOS,
		runtime.GOARCH, runtime.Version()),
		Storm: t.stormed.Round(time.Second).String(), Drain: t.drained.Round(100 * time.Millisecond).String(), Wrong: []finding{},
		counted: map[string]int{}, summed: map[string]decimal.Decimal{}, position: map[string]int{}}
	y := t.tally
	away := func(nanoseconds int64) string {
		return time.Duration(nanoseconds).Round(100 * time.Millisecond).String()
	}
	r.Done = map[string]any{
		"kills": y.kills.Load(), "kills in the first half second of a life": y.infants.Load(), "flushes": y.flushes.Load(),
		"Redis stopped": y.redisStops.Load(), "Redis away": away(y.redisAway.Load()),
		"PostgreSQL crashed": y.postgresCrashes.Load(), "PostgreSQL away": away(y.postgresAway.Load()),
		"reorganisations": y.reorgs.Load(), "transactions dropped": y.dropped.Load(), "faults beside lost answers": y.faults.Load(),
		"node answers lost": fmt.Sprintf("%d %% and more", t.lose), "payouts cancelled": y.cancels.Load(),
	}
	if t.cluster != nil {
		t.outages.report(r)
	}
	if t.between != nil {
		r.Done["pgbouncer crashed"] = y.poolerCrashes.Load()
	}
	for _, role := range t.roles {
		role.mu.Lock()
		r.count("starts of "+role.name, int(role.starts))
		if role.failed > 0 {
			r.count("starts of "+role.name+" that failed", int(role.failed))
		}
		role.mu.Unlock()
	}
	r.count("payouts completed in the storm already", t.meanwhile)
	r.count("payouts asked", len(t.book.orders))
	r.count("payins asked", len(t.book.bills))
	r.count("transfers to fixed wallets", t.book.paid)
	r.count("requests without an answer", int(y.unanswered.Load()))
	r.count("requests answered with 5xx", int(y.failures.Load()))
	r.count("tries of webhooks brought forward in the drain", int(y.hurried.Load()))
	r.count("payouts of accounts that owe, approved in the drain", int(y.approved.Load()))
	return r
}

// fine reports whether nothing is wrong.
func (r *report) fine() bool { return len(r.Wrong) == 0 && (r.Beside == nil || r.Beside.fine()) }

func (r *report) fill() {
	if r.Beside != nil {
		r.Beside.fill()
	}
	r.Headline = r.headlines()
	r.Figures = map[string]any{}
	for what, n := range r.counted {
		r.Figures[what] = n
	}
	for what, sum := range r.summed {
		r.Figures[what] = sum
	}
}

// print writes the report for people.
func (r *report) print(out io.Writer) {
	r.fill()
	fmt.Fprintf(out, "torture of %s, seed %d, %s: storm %s, drain %s\n", r.At.Format(time.DateOnly), r.Seed, r.Machine, r.Storm, r.Drain)
	fmt.Fprintln(out)
	for _, h := range headline {
		fmt.Fprintf(out, "  %-48s %d\n", h.what, r.Headline[h.what])
	}
	for _, part := range []map[string]any{r.Done, r.Figures} {
		fmt.Fprintln(out)
		for _, what := range slices.Sorted(maps.Keys(part)) {
			fmt.Fprintf(out, "  %-48s %v\n", what, part[what])
		}
	}
	if r.Beside != nil {
		fmt.Fprintln(out, "\nand in the sandbox beside it, of the same storm:")
		r.Beside.print(out)
		fmt.Fprintln(out, "\nof the live books:")
	}
	if len(r.Wrong) == 0 {
		fmt.Fprintln(out, "\nnothing lost, nothing twice, every sum adds up")
		return
	}
	fmt.Fprintln(out, "\nWRONG")
	for _, f := range r.Wrong {
		fmt.Fprintf(out, "  %d x not so: %s\n", f.Times, f.Check)
		for _, example := range f.Examples {
			fmt.Fprintf(out, "      %s\n", example)
		}
	}
}

// write keeps the report as JSON.
func (r *report) write(path string) error {
	r.fill()
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(content, '\n'), 0o600)
}
