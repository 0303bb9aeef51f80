// Command lists measures GET /v1/list-payout's queries on a merchant with millions of payouts, beside the naive queries
// (count(*) and OFFSET) on the same rows. It also measures the cost of keeping the counts where payouts are recorded.
//
//	go run ./internal/proof/bench/lists                   # five million rows: some minutes to build, 5 GB of disk, then a table
//	go run ./internal/proof/bench/lists -rows 500000      # the same, smaller
//	go run ./internal/proof/bench/lists -data /tmp/lists  # keeps the rows for the next run
//	go run ./internal/proof/bench/lists -statements -rows 334000  # the statement, on a million movements
//
// The server is private and not durable. docs/performance.md has the results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/uptrace/bun"

	"causeway/internal/dev/devstack"
	"causeway/internal/pg"
)

type options struct {
	rows      int    // payouts of the merchant
	data      string // directory of the server, kept; "" for a temporary one
	tries     int    // of each page; the median counts
	naive     int    // of its naive queries
	recording bool   // measure only the cost of the counts
	movements bool   // measure the statement, of three movements for each payout, or the cost of counting them
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var o options
	flag.IntVar(&o.rows, "rows", 5_000_000, "payouts of the merchant")
	flag.StringVar(&o.data, "data", "", "directory of the server, to be kept; a temporary one without")
	flag.IntVar(&o.tries, "tries", 101, "how often each page is read; the median counts")
	flag.IntVar(&o.naive, "naive", 3, "how often each page is read by the naive queries")
	flag.BoolVar(&o.recording, "recording", false, "measure only what the counts cost where payouts are recorded")
	flag.BoolVar(&o.movements, "statements", false,
		"measure GET /v1/statements, on three movements for each payout; with -recording, what counting them costs")
	flag.Parse()
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "lists:", err)
		os.Exit(1)
	}
}

// run starts the server, fills it and prints the tables.
func run(ctx context.Context, o options) (err error) {
	where := devstack.Options{DataDir: o.data}
	if o.data == "" {
		if where.DataDir, err = os.MkdirTemp("", "causeway-lists-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, devstack.Remove(where), os.RemoveAll(where.DataDir)) }()
	}
	server, err := devstack.StartPostgres(ctx, where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	db, err := pg.Open(server.SocketURL, 6)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return measure(ctx, db, o)
}

func measure(ctx context.Context, db *bun.DB, o options) error {
	if !o.recording {
		merchant, err := fill(ctx, db, o.rows)
		if err != nil {
			return err
		}
		if o.movements {
			return measureStatements(ctx, db, merchant, o)
		}
		if err := measurePages(ctx, db, merchant, o); err != nil {
			return err
		}
	}
	return measureRecording(ctx, db, o)
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "lists: "+format+"\n", args...) }
