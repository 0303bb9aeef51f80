// Command torture runs the roles as separate processes under load and breaks everything around them: it kills them,
// empties, stops and crashes their servers, loses the answers of their nodes and reorganises their networks. At the end
// it lets them drain and checks three things: nothing was lost, nothing happened twice and every sum adds up
// (docs/reliability.md).
//
//	make torture
//	make torture-bitcoin
//	go run ./internal/proof/torture -seed 7 -duration 3m
//	go run ./internal/proof/torture -duration 1h -kills 10000 -kill-every 200ms
//
// An interrupt (Ctrl-C, SIGTERM) ends the storm: it drains and is judged as ever. A second one ends everything.
//
// Its acts are chosen from the seed, and the interleaving of the processes is not: a seed repeats the pressure and not
// the moment. Anything wrong ends it with 1 and prints the seed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// options is one run. Rates are per second over all merchants.
type options struct {
	seed     uint64
	duration time.Duration // of the storm, at most
	kills    int64         // to end the storm; 0 = only its duration does
	binary   string        // the product
	data     string        // directory of the servers and logs
	json     string        // file for the report as JSON; "" = none
	keep     bool          // keep data and logs also after a clean run
	bitcoin  bool          // Bitcoin on a real node, with the sandbox beside it
	older    string        // the binary of an older version, which the storm begins with; "" without
	freeze   string        // keep the database at the end as that of this version; "" without
	soak     bool          // nothing is broken, and nothing may grow
	pooled   bool          // a pgbouncer between the roles and PostgreSQL

	failovers int // of three databases, to end the storm; 0 = one database

	merchants int
	payouts   float64 // payouts asked for
	payins    float64 // payins asked for
	transfers float64 // payments to fixed wallets
	refunds   float64 // payins refunded, each by up to three requests

	kill     time.Duration // mean time between kills
	flush    time.Duration // … between FLUSHALLs
	redis    time.Duration // … between stops of Redis
	postgres time.Duration // … between crashes of PostgreSQL
	pooler   time.Duration // … between crashes of pgbouncer
	reorg    time.Duration // … between reorganisations
	lose     int           // percent of node answers lost, at least
	block    time.Duration // between blocks
	drain    time.Duration // the longest allowed draining
}

func flags(args []string) (o options, err error) {
	f := flag.NewFlagSet("torture", flag.ContinueOnError)
	f.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "seed of every choice")
	f.DurationVar(&o.duration, "duration", 3*time.Minute, "how long the storm lasts")
	f.Int64Var(&o.kills, "kills", 0, "end the storm after so many kills (0 = only after its duration)")
	f.StringVar(&o.binary, "binary", "bin/causeway", "the product")
	f.StringVar(&o.data, "data", "", "directory of the servers and logs (default a temporary one)")
	f.StringVar(&o.json, "json", "", "write the report to this file as JSON")
	f.BoolVar(&o.keep, "keep", false, "keep data and logs after a clean run")
	f.BoolVar(&o.bitcoin, "bitcoin", false, "live books with Bitcoin on a real node, and the sandbox beside them")
	f.StringVar(&o.older, "older", "", "begin with this older version's binary, and bring the newer one in while the storm goes on")
	f.StringVar(&o.freeze, "freeze", "", "after a clean run, keep the database as that of this version, to be migrated by every later one")
	f.BoolVar(&o.soak, "soak", false, "break nothing, and watch that memory, goroutines, queues and times of answers do not grow")
	f.BoolVar(&o.pooled, "pgbouncer", false, "the roles reach PostgreSQL by a pgbouncer in its transaction mode, which crashes as well")
	f.IntVar(&o.failovers, "failovers", 0, "three databases under Patroni, and end the storm after the primary has died so many times (0 = one database, which crashes)")
	f.IntVar(&o.merchants, "merchants", 4, "merchants")
	f.Float64Var(&o.payouts, "payouts", 6, "payouts asked for per second")
	f.Float64Var(&o.payins, "payins", 1.5, "payins asked for per second")
	f.Float64Var(&o.transfers, "transfers", 1, "payments to fixed wallets per second")
	f.Float64Var(&o.refunds, "refunds", 1, "payins refunded per second, each by one to three requests at once")
	f.DurationVar(&o.kill, "kill-every", 400*time.Millisecond, "mean time between kills")
	f.DurationVar(&o.flush, "flush", 25*time.Second, "mean time between FLUSHALLs")
	f.DurationVar(&o.redis, "redis", 45*time.Second, "mean time between stops of Redis")
	f.DurationVar(&o.postgres, "postgres", 30*time.Second, "mean time between crashes of PostgreSQL")
	f.DurationVar(&o.pooler, "pooler", 20*time.Second, "mean time between crashes of pgbouncer")
	f.DurationVar(&o.reorg, "reorg", 3*time.Second, "mean time between reorganisations")
	f.IntVar(&o.lose, "lose", 15, "percent of node answers that are lost, at least")
	f.DurationVar(&o.block, "block", 400*time.Millisecond, "time between blocks")
	f.DurationVar(&o.drain, "drain", 2*time.Minute, "the longest that draining may take: payouts by expiry wait for the death of what was signed")
	err = f.Parse(args)
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("%q is not a flag", f.Arg(0))
	}
	if err == nil && o.failovers > 0 && o.pooled {
		err = errors.New("-failovers and -pgbouncer are two storms")
	}
	return o, err
}

func main() {
	o, err := flags(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	redis.SetLogger(quiet{})
	storm, ctx := interrupts()
	if err := run(storm, ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "torture: %v\ntorture: seed %d\n", err, o.seed)
		os.Exit(1) // the signals do not matter any more
	}
}

// interrupts returns the context of the storm, ended by the first interrupt, and the context of everything, ended by
// the second.
func interrupts() (storm, all context.Context) {
	storm, calm := context.WithCancel(context.Background())
	all, end := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		say("the storm ends now, once more ends everything")
		calm()
		<-signals
		end()
	}()
	return storm, all
}

// quiet drops the Redis client's lines about a Redis stopped by us.
type quiet struct{}

// Printf implements the client's logger.
func (quiet) Printf(context.Context, string, ...any) {}

// errWrong: the report has something wrong in it.
var errWrong = errors.New("something is wrong")

// run is one torture from the first server to the report. Its storm is over when the context storm is.
func run(storm, ctx context.Context, o options) (err error) {
	t, err := prepare(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.clear(err == nil)) }()
	for _, b := range t.books() {
		if err = b.fund(ctx); err != nil {
			return fmt.Errorf("before the storm: %w", err)
		}
	}
	t.storm(storm)
	if err = t.calm(ctx); err != nil {
		return fmt.Errorf("after the storm: %w", err)
	}
	r := t.judge(ctx)
	if t.beside != nil {
		r.Beside = t.beside.judge(ctx)
	}
	r.print(os.Stdout)
	if o.json != "" {
		err = r.write(filepath.Clean(o.json))
	}
	if !r.fine() {
		return errors.Join(errWrong, err)
	}
	if o.freeze != "" {
		err = errors.Join(err, t.endRoles(), t.keepReleased(ctx, o.freeze))
	}
	return err
}
