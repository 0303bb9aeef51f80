package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// statementsQuery gives every payout of a merchant the entry and the three movements of its recording.
const statementsQuery = `
	with numbered as (select *, row_number() over (order by created_at, id) as i from payouts where merchant_id = ?0),
	booked as (insert into entries (subject, kind, turn, digest) select id, 'payout_held', 0, ''
		from numbered order by i returning id, subject)
	insert into postings (id, from_account, to_account, asset, amount, merchant_id, movement, types, balance_after, network, created_at)
	select b.id * 16 + m.place, 1, 2, n.asset, m.amount, ?0, m.movement, case m.place when 1 then 'WITHDRAWAL RATE FEE' end, 1000, n.network, n.created_at
	from numbered n join booked b on b.subject = n.id,
	lateral (values (1, 'WITHDRAWAL', n.amount + i % 1000), (2, 'RATE', n.rate_fee), (3, 'FEE', n.network_fee)) as m(place, movement, amount)
	order by n.i, m.place`

// fillStatements makes the movements of a merchant's payouts, unless they are there.
func fillStatements(ctx context.Context, db *bun.DB, merchant uuid.UUID) (movements int, err error) {
	count := func() error {
		return db.NewRaw("select count(*) from postings where merchant_id = ? and movement is not null", merchant).Scan(ctx, &movements)
	}
	if err = count(); err != nil || movements > 0 {
		return movements, err
	}
	if _, err := db.NewRaw(statementsQuery, merchant).Exec(ctx); err != nil {
		return 0, fmt.Errorf("fill statements: %w", err)
	}
	if err := lists.FoldCounts(ctx, store.New(db)); err != nil {
		return 0, err
	}
	if _, err := db.ExecContext(ctx, "vacuum analyze"); err != nil {
		return 0, fmt.Errorf("vacuum: %w", err)
	}
	return movements, count()
}

// statements are the measured filters of the statement.
var statements = []struct {
	what   string
	filter ledger.StatementFilter
}{
	{"no filter", ledger.StatementFilter{}},
	{"type=WITHDRAWAL", ledger.StatementFilter{Movement: ledger.Withdrawal}},
	{"type=DEPOSIT (none)", ledger.StatementFilter{Movement: ledger.Deposit}},
	{"direction=out", ledger.StatementFilter{Direction: "out"}},
	{"direction=in (none)", ledger.StatementFilter{Direction: "in"}},
	{"balance=USDT", ledger.StatementFilter{Asset: "USDT"}},
	{"balance=BNB (1 in 1,000)", ledger.StatementFilter{Asset: "BNB"}},
	{"network=Ethereum, type=FEE", ledger.StatementFilter{Network: "Ethereum", Movement: ledger.Fee}},
	{"dates: half a year", ledger.StatementFilter{From: time.Date(2025, 3, 15, 0, 0, 0, 0, pay.DayZone),
		Until: time.Date(2025, 9, 16, 0, 0, 0, 0, pay.DayZone)}},
	{"dates: the huge day, network=BSC", ledger.StatementFilter{From: hugeDay, Until: hugeDay.AddDate(0, 0, 1), Network: "BSC"}},
	{"min_amount=1000 (1 in 300)", ledger.StatementFilter{MinAmount: decimal.NewNullDecimal(decimal.NewFromInt(1000))}},
	{"reference_id", ledger.StatementFilter{Reference: "order-77777"}},
}

// measureStatements reads the first, a deep and the last page of each filter, both ways where there are two, compares them
// and prints the times, also those of the summary.
func measureStatements(ctx context.Context, db *bun.DB, merchant uuid.UUID, o options) error {
	movements, err := fillStatements(ctx, db, merchant)
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintf(out, "\n%d movements of one merchant, %d a page, median of %d\n\n", movements, perPage, o.tries)
	fmt.Fprintln(out, "| filter\t| movements\t| page\t| ms\t| p99 ms\t| naive ms\t| summary ms\t|")
	fmt.Fprintln(out, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, q := range statements {
		f := q.filter
		f.Merchant = merchant
		_, total, err := statement(ctx, db, f, 1)
		if err != nil {
			return err
		}
		sums, err := timed(o.naive, func() error { _, err := ledger.MovementTotals(ctx, db, f); return err })
		if err != nil {
			return err
		}
		for _, page := range pagesOf(total) {
			times, slow, err := raceStatement(ctx, db, f, page, o)
			if err != nil {
				return fmt.Errorf("%s, page %d: %w", q.what, page, err)
			}
			fmt.Fprintf(out, "| %s\t| %d\t| %d\t| %.2f\t| %.2f\t| %.1f\t| %.1f\t|\n", q.what, total, page,
				times[len(times)/2], times[len(times)*99/100], slow[len(slow)/2], sums[len(sums)/2])
			say("%s, page %d: %.2f ms, naively %.1f ms", q.what, page, times[len(times)/2], slow[len(slow)/2])
		}
	}
	return out.Flush()
}

// raceStatement times a page as the API reads it, and by counting and skipping.
func raceStatement(ctx context.Context, db *bun.DB, f ledger.StatementFilter, page int, o options) (ours, naively []float64, err error) {
	var got, want []ledger.StatementLine
	var total, wanted int
	ours, err = timed(o.tries, func() (err error) { got, total, err = statement(ctx, db, f, page); return err })
	if err != nil {
		return nil, nil, err
	}
	naively, err = timed(o.naive, func() (err error) { want, wanted, err = ledger.SearchMovements(ctx, db, f, page, perPage); return err })
	same := slices.EqualFunc(got, want, func(a, b ledger.StatementLine) bool { return a.ID == b.ID })
	if err == nil && (!same || total != wanted) {
		err = fmt.Errorf("%d lines of %d, naively %d of %d", len(got), total, len(want), wanted)
	}
	return ours, naively, err
}

// statement reads a page as GET /v1/statements does.
func statement(ctx context.Context, db *bun.DB, f ledger.StatementFilter, page int) ([]ledger.StatementLine, int, error) {
	kinds := f.Kinds()
	if len(kinds) == len(ledger.Movements) {
		kinds = nil
	}
	if !f.AnsweredByCounts() {
		return ledger.SearchMovements(ctx, db, f, page, perPage)
	}
	ids, total, err := lists.Movements(ctx, store.New(db), lists.Filter{Merchant: f.Merchant, Statuses: kinds, Token: f.Asset, Network: f.Network,
		From: f.From, Until: f.Until, Page: page, PerPage: perPage})
	if err != nil {
		return nil, 0, err
	}
	lines, err := ledger.MovementsByID(ctx, db, ids)
	return lines, total, err
}
