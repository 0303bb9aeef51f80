package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
)

const perPage = 50

// deep is the page of the bar, where there are so many.
const deep = 20_000

var (
	hugeDay = time.Date(2025, 10, 16, 0, 0, 0, 0, pay.DayZone)
	pending = []string{"queued", "signed", "sent"}
)

// questions are the measured filters.
var questions = []struct {
	what   string
	filter lists.Filter
}{
	{"no filter", lists.Filter{}},
	{"status=completed", lists.Filter{Statuses: []string{"completed"}}},
	{"status=pending", lists.Filter{Statuses: pending}},
	{"status=failed", lists.Filter{Statuses: []string{"failed"}}},
	{"crypto_currency=USDT", lists.Filter{Token: "USDT"}},
	{"crypto_currency=BNB (1 in 1,000)", lists.Filter{Token: "BNB"}},
	{"network=Ethereum", lists.Filter{Network: "Ethereum"}},
	{"network=Bitcoin, status=failed (1 in 2,200)", lists.Filter{Network: "Bitcoin", Statuses: []string{"failed"}}},
	{"network=Tron, crypto_currency=USDT, status=completed", lists.Filter{Network: "Tron", Token: "USDT", Statuses: []string{"completed"}}},
	{"dates: half a year", lists.Filter{From: time.Date(2025, 3, 15, 0, 0, 0, 0, pay.DayZone),
		Until: time.Date(2025, 9, 16, 0, 0, 0, 0, pay.DayZone)}},
	{"dates: the huge day", lists.Filter{From: hugeDay, Until: hugeDay.AddDate(0, 0, 1)}},
	{"dates: the huge day, network=BSC, status=completed", lists.Filter{From: hugeDay, Until: hugeDay.AddDate(0, 0, 1), Network: "BSC",
		Statuses: []string{"completed"}}},
	{"reference_id", lists.Filter{Reference: "order-777777"}},
}

// measurePages reads the first and a deep page of each question both ways, compares the answers and prints the times.
func measurePages(ctx context.Context, db *bun.DB, merchant uuid.UUID, o options) error {
	s := store.New(db)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintf(out, "\n%d payouts of one merchant, %d a page, median of %d\n\n", o.rows, perPage, o.tries)
	fmt.Fprintln(out, "| filter\t| rows\t| page\t| ms\t| p99 ms\t| naive ms\t|")
	fmt.Fprintln(out, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, q := range questions {
		f := q.filter
		f.Merchant, f.Page, f.PerPage = merchant, 1, perPage
		_, counts, err := lists.Payouts(ctx, s, f)
		if err != nil {
			return err
		}
		total := 0
		for _, n := range counts {
			total += n
		}
		for _, page := range pagesOf(total) {
			f.Page = page
			ours, worst, naively, err := race(ctx, s, f, o)
			if err != nil {
				return fmt.Errorf("%s, page %d: %w", q.what, page, err)
			}
			fmt.Fprintf(out, "| %s\t| %d\t| %d\t| %.2f\t| %.2f\t| %.1f\t|\n", q.what, total, page, ours, worst, naively)
			say("%s, page %d: %.2f ms, naively %.1f ms", q.what, page, ours, naively)
		}
	}
	return out.Flush()
}

// pagesOf are the first page, the deep one or the middle where there are fewer, and the last.
func pagesOf(total int) []int {
	last := max(1, (total+perPage-1)/perPage)
	pages := []int{1, min(deep, (last+1)/2), last}
	return slices.Compact(pages)
}

// race returns the median and the 99th percentile of the store's time and the median of the naive queries', in ms.
func race(ctx context.Context, s *store.Store, f lists.Filter, o options) (ours, worst, naively float64, err error) {
	var got, want []pay.Payout
	var counts, wanted map[string]int
	times, err := timed(o.tries, func() (err error) {
		got, counts, err = lists.Payouts(ctx, s, f)
		return err
	})
	if err != nil {
		return 0, 0, 0, err
	}
	slow, err := timed(o.naive, func() (err error) {
		want, wanted, err = naive(ctx, s, f)
		return err
	})
	if err != nil {
		return 0, 0, 0, err
	}
	same := slices.EqualFunc(got, want, func(a, b pay.Payout) bool { return a.ID == b.ID })
	if !same || fmt.Sprint(counts) != fmt.Sprint(wanted) {
		return 0, 0, 0, fmt.Errorf("%d rows and %v, naively %d and %v", len(got), counts, len(want), wanted)
	}
	return times[len(times)/2], times[len(times)*99/100], slow[len(slow)/2], nil
}

// timed returns how long each of so many calls took, in ms, sorted.
func timed(tries int, call func() error) ([]float64, error) {
	times := make([]float64, tries)
	for i := range times {
		began := time.Now()
		if err := call(); err != nil {
			return nil, err
		}
		times[i] = float64(time.Since(began).Microseconds()) / 1000
	}
	slices.Sort(times)
	return times, nil
}

// naive counts by status and reads a page by OFFSET.
func naive(ctx context.Context, s *store.Store, f lists.Filter) ([]pay.Payout, map[string]int, error) {
	narrow := func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("merchant_id = ?", f.Merchant)
		for column, value := range map[string]string{"token": f.Token, "network": f.Network, "reference_id": f.Reference} {
			if value != "" {
				q = q.Where("? = ?", bun.Ident(column), value)
			}
		}
		if len(f.Statuses) > 0 {
			q = q.Where("status in (?)", bun.List(f.Statuses))
		}
		if !f.From.IsZero() {
			q = q.Where("created_at >= ? and created_at < ?", f.From, f.Until)
		}
		return q
	}
	var rows []struct {
		Status string
		N      int
	}
	err := narrow(s.Q.NewSelect().Model((*pay.Payout)(nil))).ColumnExpr("public_status(status) AS status, count(*) AS n").GroupExpr("1").
		Scan(ctx, &rows)
	if err != nil {
		return nil, nil, err
	}
	counts := map[string]int{}
	for _, r := range rows {
		counts[r.Status] = r.N
	}
	var out []pay.Payout
	err = narrow(s.Q.NewSelect().Model(&out)).Order("created_at DESC", "id DESC").
		Limit(int64(f.PerPage)).Offset(int64(f.Page-1) * int64(f.PerPage)).Scan(ctx)
	return out, counts, err
}
