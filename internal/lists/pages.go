package lists

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"causeway/internal/pg"
	"causeway/internal/store"
)

// fewRows: skipping up to so many rows one by one is cheaper than asking for finer counts.
const fewRows = 500

// targets are where the columns of a list's rows go, and keep is called after each row.
type targets struct {
	columns []any
	keep    func()
}

func (p *targets) read(r pg.Scanner) error {
	if err := r.Scan(p.columns...); err != nil {
		return err
	}
	p.keep()
	return nil
}

// reading is Store.Reading for reads with a result.
func reading[T any](ctx context.Context, s *store.Store, read func(s *store.Store) (T, error)) (out T, err error) {
	err = s.Reading(ctx, func(s *store.Store) (err error) {
		out, err = read(s)
		return err
	})
	return out, err
}

// read returns the counts by public status of all pages, and puts the rows of the asked one into their targets.
func read(ctx context.Context, s *store.Store, of list, f *Filter, into *targets) (counts map[string]int, err error) {
	if l := (&listing{f, of, s}); l.plain() && l.Page == 1 && l.From.IsZero() && l.Until.IsZero() && l.Reference == "" {
		counts, err = l.newestPage(ctx, into)
	} else {
		err = s.Snapshot(ctx, func(tx *store.Store) error {
			counts, err = (&listing{f, of, tx}).anyPage(ctx, into)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", of.table, err)
	}
	return counts, nil
}

// newestPage reads the most requested page, the first of everything, in one statement. The totals stand before each
// row: where there is no row, there is nothing to count.
func (l *listing) newestPage(ctx context.Context, into *targets) (map[string]int, error) {
	query := "select (select list_totals($1, '" + l.table + "')), " + l.columns + " from " + l.table +
		" where merchant_id = $1" + also(l.shown) + " order by created_at desc, id desc limit $2"
	var totals string
	with := targets{append([]any{&totals}, into.columns...), into.keep}
	err := pg.Quick(ctx, l.tx.DB, func(r pg.Scanner) error { return with.read(r) }, query, l.Merchant.String(), l.PerPage)
	if err != nil {
		return nil, err
	}
	return readTotals(totals)
}

// also adds a condition where there is one.
func also(condition string) string {
	if condition == "" {
		return ""
	}
	return " and " + condition
}

// readTotals reads the answer of list_totals: status and count in turn.
func readTotals(text string) (map[string]int, error) {
	words, counts := strings.Fields(text), map[string]int{}
	for ; len(words) > 1; words = words[2:] {
		n, err := strconv.Atoi(words[1])
		if err != nil {
			return nil, fmt.Errorf("read the totals: %w", err)
		}
		counts[words[0]] = n
	}
	return counts, nil
}

// anyPage reads a page in several statements of one snapshot.
func (l *listing) anyPage(ctx context.Context, into *targets) (counts map[string]int, err error) {
	var ids []string
	if l.Reference != "" {
		ids, counts, err = l.one(ctx)
	} else {
		ids, counts, err = l.page(ctx)
	}
	if err != nil || len(ids) == 0 {
		return counts, err
	}
	rows, err := l.tx.Q.NewSelect().TableExpr(l.table).ColumnExpr(l.columns).Where("id in (?)", bun.List(ids)).
		Order("created_at DESC", "id DESC").Rows(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := into.read(rows); err != nil {
			return nil, err
		}
	}
	return counts, rows.Err()
}

// one finds the row with the merchant's reference; there is one at most.
func (l *listing) one(ctx context.Context) ([]string, map[string]int, error) {
	var found []struct {
		ID     string
		Status string
	}
	q := l.rows(l.narrow(l.tx.Q.NewSelect().TableExpr(l.table))).Column("id").ColumnExpr("? AS status", bun.Ident(l.status)).
		Where("reference_id = ? and ? = any(?::text[])", l.Reference, bun.Ident(l.status), pg.Array(l.statuses()))
	err := during(q, "created_at", l.From, l.Until).Scan(ctx, &found)
	if err != nil || len(found) == 0 {
		return nil, map[string]int{}, err
	}
	counts := map[string]int{found[0].Status: 1}
	if l.Page > 1 {
		return nil, counts, nil
	}
	return []string{found[0].ID}, counts, nil
}

// page finds the ids of the page. The buckets say where it begins; the index skips the rows before it there.
func (l *listing) page(ctx context.Context) ([]string, map[string]int, error) {
	counts, buckets, err := l.count(ctx, periods(l.From, l.Until)...)
	if err != nil {
		return nil, nil, err
	}
	if l.skip() == 0 && len(buckets) > 0 {
		ids, err := l.ids(ctx, l.top(l.Until, l.PerPage))
		return ids, counts, err
	}
	start, skip, err := l.find(ctx, buckets)
	if err != nil || start == nil {
		return nil, counts, err
	}
	ids, err := l.ids(ctx, window{start.period(start.Span), skip, min(l.PerPage, start.Rows-skip), start.Rows})
	if rest := l.PerPage - len(ids); err == nil && rest > 0 {
		var more []string
		more, err = l.ids(ctx, l.top(start.Starts, rest))
		ids = append(ids, more...)
	}
	return ids, counts, err
}

// find returns the bucket in which the page begins, as short as is worth it, and how many of its rows come before the
// page; nil when the list ends before.
func (l *listing) find(ctx context.Context, buckets []bucket) (*bucket, int, error) {
	skip := l.skip()
	for {
		i := slices.IndexFunc(buckets, func(b bucket) bool {
			if skip < b.Rows {
				return true
			}
			skip -= b.Rows
			return false
		})
		if i < 0 {
			return nil, 0, nil
		}
		b := &buckets[i]
		if b.Rows <= fewRows || b.Span == bySecond {
			return b, skip, nil
		}
		divided, err := l.divided(ctx, b)
		if err != nil || !divided {
			return b, skip, err
		}
		if _, buckets, err = l.count(ctx, b.period(finer[b.Span])); err != nil {
			return nil, 0, err
		}
	}
}

// window is a run of matching rows of a period: newest first, after skip the next take. rows is how many there are in
// all, zero when this is not known.
type window struct {
	period
	skip, take int
	rows       int
}

// top is the window of the newest matching rows before a moment.
func (l *listing) top(until time.Time, take int) window {
	return window{period: period{byMonth, l.From, until}, take: take}
}

// ids reads a window from its nearer end.
func (l *listing) ids(ctx context.Context, w window) (ids []string, err error) {
	way, after := "DESC", w.skip
	if below := w.rows - w.skip - w.take; w.rows > 0 && below < w.skip {
		way, after = "ASC", below
	}
	if l.plain() {
		err = l.newest(l.table, w, way, w.take).Column("id").Offset(int64(after)).Scan(ctx, &ids)
	} else {
		err = l.merged(w, way, after).Scan(ctx, &ids)
	}
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	if way == "ASC" {
		slices.Reverse(ids)
	}
	return ids, nil
}

// whole is the period in whole buckets: every row of it is in one.
func (w *window) whole() period {
	if w.span == byMonth {
		return period{byMonth, monthOf(w.from), w.until}
	}
	return w.period
}

// newest are the first rows of a window of a table from one end, of the merchant and in order.
func (l *listing) newest(table string, w window, way string, most int) *bun.SelectQuery {
	q := l.tx.Q.NewSelect().TableExpr(table).Where("merchant_id = ?", l.Merchant).
		OrderExpr("created_at " + way + ", id " + way).Limit(int64(most))
	if table == l.table {
		q = l.rows(q)
	}
	return during(q, "created_at", w.from, w.until)
}

// merged reads a filtered window: the first rows of every token, network and status in the counts there, each in order
// by the index, and then the first of those. Where rows are counted by entry, each of the entries has a matching row:
// the rows are read at the end, by the numbers of their entry (ledger.Entry).
func (l *listing) merged(w window, way string, after int) *bun.SelectQuery {
	kinds := l.tx.Q.NewSelect().TableExpr("(?) AS cells", l.cells(w.whole())).
		Column("token", "network", "status").GroupExpr("1, 2, 3")
	rows := l.newest(cmp.Or(l.entries, l.table), w, way, after+w.take).Column("id", "created_at").
		Where("network = kinds.network and token = kinds.token and ? = kinds.status", bun.Ident(l.status))
	first := l.tx.Q.NewSelect().Column("rows.id").TableExpr("(?) AS kinds", kinds).
		Join("CROSS JOIN LATERAL (?) AS rows", rows).OrderExpr("rows.created_at " + way + ", rows.id " + way)
	if l.entries == "" {
		return first.Limit(int64(w.take)).Offset(int64(after))
	}
	each := l.tx.Q.NewSelect().TableExpr("? AS row", bun.Ident(l.table)).Column("row.id").
		Where("row.merchant_id = ? and row.id between first.id and first.id | 15 and status = any(?::text[])", l.Merchant, pg.Array(l.statuses()))
	return l.tx.Q.NewSelect().Column("each.id").TableExpr("(?) AS first", first.Column("rows.created_at").Limit(int64(after+w.take))).
		Join("CROSS JOIN LATERAL (?) AS each", each).OrderExpr("first.created_at " + way + ", each.id " + way).
		Limit(int64(w.take)).Offset(int64(after))
}
