// Command bench measures Causeway beside pgbench, Asynq and bare handlers: on the same private and durable servers, in
// the same run, with everything on one machine. `make bench` runs it; docs/performance.md has the results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	slot     time.Duration // length of one measurement
	rounds   int           // of those with a bar; the median counts
	idle     time.Duration // how long `causeway dev` is watched
	only     string        // names to run, a regular expression
	binary   string        // causeway, built
	data     string        // directory of the servers
	profiles string        // directory for CPU profiles of the roles
	history  int           // earlier payouts in the test of history
	network  string        // the only one that follow measures
	bare     string        // address to serve the bare handlers on, in a process of its own
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, readFlags())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func readFlags() options {
	var o options
	seconds := flag.Float64("seconds", 2, "length of one measurement, in seconds")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds of what has a bar, each beside the yardstick; the median counts")
	flag.DurationVar(&o.idle, "idle", 30*time.Second, "how long an idle `causeway dev` is watched")
	flag.StringVar(&o.only, "only", "", "measure what matches this regular expression: "+names())
	flag.StringVar(&o.binary, "binary", "bin/causeway", "the causeway to measure")
	flag.StringVar(&o.data, "data", ".dev/bench", "directory of the private servers, removed at the end")
	flag.StringVar(&o.profiles, "profiles", "", "directory to write CPU profiles of the measured processes to")
	flag.IntVar(&o.history, "history", 10_000_000, "earlier payouts that a new one is measured behind")
	flag.StringVar(&o.network, "network", "", "the only network that follow measures")
	flag.StringVar(&o.bare, "bare", "", "serve the bare handlers there (bench starts itself so)")
	flag.Parse()
	o.slot = time.Duration(*seconds * float64(time.Second))
	return o
}

// measurements are the parts of a run, in this order.
var measurements []measurement

type measurement struct {
	name  string
	extra bool // only when it is asked for
	run   func(*bench) error
}

func init() {
	measurements = []measurement{
		{"yardstick", false, (*bench).measureYardstick},
		{"payouts", false, (*bench).measurePayouts},
		{"payins", false, (*bench).measurePayins},
		{"webhooks", false, (*bench).measureWebhooks},
		{"cycle", false, (*bench).measureCycle},
		{"follow", false, (*bench).measureFollow},
		{"together", true, (*bench).measureTogether},
		{"reads", false, (*bench).measureReads},
		{"idle", false, (*bench).measureIdle},
		{"batches", true, (*bench).measureBatches},
		{"record", true, (*bench).measureRecord},
		{"history", true, (*bench).measureHistory},
		{"pooler", true, (*bench).measurePooler},
	}
}

func names() string {
	var list []string
	for _, m := range measurements {
		list = append(list, m.name)
	}
	return strings.Join(list, ", ")
}

func run(ctx context.Context, o options) (err error) {
	if o.bare != "" {
		return serveBare(ctx, o.bare)
	}
	chosen, err := regexp.Compile("^(" + o.only + ")$")
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	b, err := open(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		b.table.print(os.Stdout) // the rows so far, also after a failure
		err = errors.Join(err, b.close())
	}()
	for _, m := range slices.DeleteFunc(measurements, func(m measurement) bool {
		return o.only != "" && !chosen.MatchString(m.name) || o.only == "" && m.extra
	}) {
		b.say("measuring %s", m.name)
		if err := m.run(b); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}
