package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/migrations"
)

// The same schema with and without the structures kept up to date: the counts, and the index of filtered lists.
const (
	uncounted = `alter table payouts disable trigger user; drop index payouts_filtered; ` + unstated
	counted   = `alter table payouts enable trigger user; create index payouts_filtered on payouts (merchant_id, network, token, wire_status, created_at desc, id desc); ` + stated
	unstated  = `alter table postings disable trigger postings_counted; drop index postings_filtered`
	stated    = `alter table postings enable trigger postings_counted; create index postings_filtered
		on postings (merchant_id, coalesce(network, ''), asset, types, created_at desc, id desc) where types is not null`
)

// slot is how long one figure is measured, rounds how often, each way in turn.
const (
	slot   = 3 * time.Second
	rounds = 5
)

// stage is a kind of load.
type stage struct {
	what    string
	writers int // at once
	group   int // payouts of a call
	moves   bool
}

var stages = []stage{
	{"recorded one by one, 1 writer", 1, 1, false},
	{"recorded in groups of 16, 1 writer", 1, 16, false},
	{"recorded in groups of 64, 1 writer", 1, 64, false},
	{"recorded one by one and moved to completed, 4 writers of one merchant", 4, 1, true},
	{"recorded in groups of 16 and moved to completed, 4 writers of one merchant", 4, 16, true},
}

// pace is the result of a load: payouts a second, and the CPU time of its PostgreSQL backends for each, in µs.
type pace struct{ rate, cpu float64 }

// measureRecording prints the cost of recording payouts, or of recording and moving them until they are completed,
// without the counts and with them; folding every second is part of the load. The machine may be busy with other
// things, so the CPU time says more than the rate.
func measureRecording(ctx context.Context, db *bun.DB, o options) error {
	schemas := []string{uncounted, counted}
	if o.movements {
		schemas = []string{unstated, stated}
	}
	if err := migrations.Up(ctx, db); err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintf(out, "\nmedians of %d rounds of %v, each way in turn\n\n| load\t| payouts/s without counts\t| with\t| CPU µs a payout without\t| with\t|\n| ---\t| ---\t| ---\t| ---\t| ---\t|\n", rounds, slot)
	for _, st := range stages {
		var paces [2][]pace
		for range rounds {
			for way, schema := range schemas {
				for _, statement := range []string{schema, "truncate payouts, jobs, list_changes cascade",
					"analyze payouts, jobs, entries, postings, balances"} {
					if _, err := db.ExecContext(ctx, statement); err != nil {
						return err
					}
				}
				p, err := st.measure(ctx, db)
				if err != nil {
					return err
				}
				paces[way] = append(paces[way], p)
			}
		}
		without, with := middle(paces[0]), middle(paces[1])
		fmt.Fprintf(out, "| %s\t| %.0f\t| %.0f\t| %.0f\t| %.0f\t|\n", st.what, without.rate, with.rate, without.cpu, with.cpu)
		say("%s: %.0f, %.0f", st.what, paces[0], paces[1])
	}
	return out.Flush()
}

// middle returns the medians.
func middle(paces []pace) pace {
	var rates, cpus []float64
	for _, p := range paces {
		rates, cpus = append(rates, p.rate), append(cpus, p.cpu)
	}
	slices.Sort(rates)
	slices.Sort(cpus)
	return pace{rates[len(rates)/2], cpus[len(cpus)/2]}
}

// measure runs the load for a while, each writer on a connection without plans.
func (st stage) measure(ctx context.Context, db *bun.DB) (pace, error) {
	merchant := uuid.Must(uuid.NewV7())
	if err := enrich(ctx, db, merchant); err != nil {
		return pace{}, err
	}
	var wg sync.WaitGroup
	writers := make([]writer, st.writers)
	began := time.Now()
	for i := range writers {
		wg.Go(func() { writers[i].err = writers[i].run(ctx, db, st, merchant, i == 0) })
	}
	wg.Wait()
	total, cpu := 0, 0.0
	for _, w := range writers {
		if w.err != nil {
			return pace{}, w.err
		}
		total, cpu = total+w.done, cpu+w.cpu
	}
	return pace{float64(total) / time.Since(began).Seconds(), cpu / float64(total)}, nil
}

// writer is one client of the load.
type writer struct {
	done int
	cpu  float64 // of its backend, in µs
	err  error
}

func (w *writer) run(ctx context.Context, db *bun.DB, st stage, merchant uuid.UUID, folds bool) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "discard plans"); err != nil {
		return err
	}
	var backend int
	if err := conn.NewRaw("select pg_backend_pid()").Scan(ctx, &backend); err != nil {
		return err
	}
	s := &store.Store{DB: db, Q: conn}
	before, began := cpuOf(backend), time.Now()
	for folded := began; time.Since(began) < slot; w.done += st.group {
		if err := st.once(ctx, s, merchant); err != nil {
			return err
		}
		if folds && time.Since(folded) > time.Second {
			if err := lists.FoldCounts(ctx, s); err != nil {
				return err
			}
			folded = time.Now()
		}
	}
	w.cpu = cpuOf(backend) - before
	return nil
}

// cpuOf returns the CPU time used by a process, in µs, as Linux tells it.
func cpuOf(pid int) float64 {
	const tick = 10_000 // µs
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(content), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return float64(tick * (user + system))
}

// once records a group and, when asked, moves each of it to its end.
func (st stage) once(ctx context.Context, s *store.Store, merchant uuid.UUID) error {
	items := make([]store.PayoutItem, st.group)
	for i := range items {
		p := payout(merchant)
		items[i] = store.PayoutItem{Payout: p, HoldDigest: ledger.PayoutHeld(p).Digest}
	}
	if _, err := s.RecordPayouts(ctx, items); err != nil || !st.moves {
		return err
	}
	for _, item := range items {
		item.Payout.Status = pay.PayoutQueued
		for _, next := range []pay.PayoutStatus{pay.PayoutSigned, pay.PayoutSent, pay.PayoutCompleted} {
			if _, err := s.MovePayout(ctx, item.Payout, next); err != nil {
				return err
			}
		}
	}
	return nil
}

func payout(merchant uuid.UUID) *pay.Payout {
	id := uuid.Must(uuid.NewV7())
	return &pay.Payout{ID: id, MerchantID: merchant, KeyID: "key", ReferenceID: id.String(), Wallet: "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE",
		Token: "USDT", Asset: "USDT", Network: "Tron", ProcessBy: pay.ByCrypto, Amount: decimal.New(10, 0), Debit: decimal.New(12, 0),
		RateFee: decimal.New(1, 0), NetworkFee: decimal.New(1, 0), PaysNetworkFee: true, PercentRate: decimal.New(1, 0),
		FiatCurrency: "USD", WebhookURL: "https://shop.example/hook"}
}

// enrich makes a merchant with enough money for the whole run.
func enrich(ctx context.Context, db *bun.DB, merchant uuid.UUID) error {
	if _, err := db.NewRaw("insert into merchants (id, name, webhook_secret) values (?, 'Shop', 'x')", merchant).Exec(ctx); err != nil {
		return err
	}
	_, err := ledger.Post(ctx, db, ledger.Entry{Reference: ledger.Reference{Kind: "unclaimed_assigned", Subject: merchant}, Digest: []byte("gift"),
		Postings: []ledger.Posting{{From: ledger.Treasury, To: ledger.Available(merchant), Asset: "USDT", Amount: decimal.New(1, 12)}}})
	return err
}
