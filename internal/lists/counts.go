package lists

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"causeway/internal/pay"
	"causeway/internal/pg"
	"causeway/internal/store"
)

// span is the length of a bucket of counts, as list_bucket knows it.
type span string

const (
	bySecond span = "second"
	byMinute span = "minute"
	byHour   span = "hour"
	byDay    span = "day"
	byMonth  span = "month"
)

// finer are the next shorter spans. Minutes and seconds are counted only where a longer span is busy.
var finer = map[span]span{byMonth: byDay, byDay: byHour, byHour: byMinute, byMinute: bySecond}

// end returns the end of a bucket from its start.
func (s span) end(starts time.Time) time.Time {
	local := starts.In(pay.DayZone)
	switch s {
	case byMonth:
		return local.AddDate(0, 1, 0)
	case byDay:
		return local.AddDate(0, 0, 1)
	case byHour:
		return local.Add(time.Hour)
	case byMinute:
		return local.Add(time.Minute)
	default:
		return local.Add(time.Second)
	}
}

// period is a piece of time to be counted in buckets of one span; zero ends are open.
type period struct {
	span
	from, until time.Time
}

// periods divides [from, until) into whole months and the days before and after them, newest first.
func periods(from, until time.Time) []period {
	first, end := monthFrom(from), monthOf(until)
	if !from.IsZero() && !until.IsZero() && !first.Before(end) {
		return []period{{byDay, from, until}}
	}
	var out []period
	if end.Before(until) {
		out = append(out, period{byDay, end, until})
	}
	out = append(out, period{byMonth, first, end})
	if from.Before(first) {
		out = append(out, period{byDay, from, first})
	}
	return out
}

// monthOf returns the first moment of the month; of the zero time, itself.
func monthOf(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	local := t.In(pay.DayZone)
	return time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, pay.DayZone)
}

// monthFrom returns the first moment of a month not before t; of the zero time, itself.
func monthFrom(t time.Time) time.Time {
	month := monthOf(t)
	if month.Before(t) {
		return byMonth.end(month)
	}
	return month
}

// bucket counts the matching rows of a period of time.
type bucket struct {
	Span   span
	Starts time.Time
	Rows   int
}

func (b *bucket) period(in span) period { return period{in, b.Starts, b.Span.end(b.Starts)} }

// cells are the counts of a period, some of them in parts: folded, and not yet.
func (l *listing) cells(s period) *bun.SelectQuery {
	matching, public := "status = any(?::text[])", pg.Array(l.statuses())
	if l.entries != "" {
		matching = "string_to_array(status, ' ') && ?::text[]"
	}
	cells := func(table, moment string) *bun.SelectQuery {
		q := l.narrow(l.tx.Q.NewSelect().TableExpr(table)).Where("list = ?", l.table).Where(matching, public)
		q = q.ColumnExpr("?0::text AS span, list_bucket(?0, ?1) AS starts, token, network, status, n", string(s.span), bun.Ident(moment))
		return during(q, moment, s.from, s.until)
	}
	folded := cells("list_counts", "starts").Where("span = ?", string(s.span))
	return folded.UnionAll(cells("list_changes", "second"))
}

// count returns how many rows match by their public status, and how many there are in each bucket, newest first. Where
// rows are counted by entry, the status is every status named by an entry.
func (l *listing) count(ctx context.Context, of ...period) (map[string]int, []bucket, error) {
	cells := l.cells(of[0])
	for _, s := range of[1:] {
		cells = cells.UnionAll(l.cells(s))
	}
	var rows []struct {
		bucket
		Status string
	}
	err := l.tx.Q.NewSelect().TableExpr("(?) AS cells", cells).ColumnExpr("span, starts, status, sum(n) AS rows").
		GroupExpr("1, 2, 3").Having("sum(n) <> 0").OrderExpr("starts DESC").Scan(ctx, &rows)
	if err != nil {
		return nil, nil, fmt.Errorf("add up the counts of %s: %w", l.table, err)
	}
	counts, buckets, matching := make(map[string]int, len(l.public)), make([]bucket, 0, len(rows)), l.statuses()
	for _, r := range rows {
		r.Rows *= l.listed(r.Status, matching)
		counts[r.Status] += r.Rows
		if last := len(buckets) - 1; last >= 0 && buckets[last].Starts.Equal(r.Starts) {
			buckets[last].Rows += r.Rows
		} else {
			buckets = append(buckets, r.bucket)
		}
	}
	return counts, buckets, nil
}

// divided reports whether a bucket is counted by the next shorter span too.
func (l *listing) divided(ctx context.Context, b *bucket) (yes bool, err error) {
	if b.Span == byMonth || b.Span == byDay {
		return true, nil
	}
	err = l.tx.Q.NewRaw("select exists (select from list_splits where merchant_id = ? and list = ? and span = ? and starts = ?)",
		l.Merchant, l.table, string(b.Span), b.Starts).Scan(ctx, &yes)
	if err != nil {
		return false, fmt.Errorf("look for finer counts of %s: %w", l.table, err)
	}
	return yes, nil
}

// FoldCounts moves changes into the counts of the lists until there are few, so reading both has little to add up.
// Without it the lists are right, and slower by the day.
func FoldCounts(ctx context.Context, s *store.Store) error {
	const most = 20_000 // in one transaction
	for folded := most; folded == most; {
		if err := s.Q.NewRaw("select fold_list_changes(?)", most).Scan(ctx, &folded); err != nil {
			return fmt.Errorf("fold counts: %w", err)
		}
	}
	return nil
}
