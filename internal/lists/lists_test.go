package lists_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
)

var (
	listTokens   = []string{"USDT", "USDC", "TRX"}
	listNetworks = []string{"Tron", "Ethereum"}
	listStatuses = map[string][]string{
		"payouts": {"queued", "signed", "sent", "completed", "failed", "refunded"},
		"payins":  {"pending", "completed", "failed", "reversed"},
	}
)

// archive is merchants with rows in one of the two lists.
type archive struct {
	t         testing.TB
	db        *bun.DB
	store     *store.Store
	table     string
	merchants []uuid.UUID
	entry     int // the last one with postings
}

func newArchive(t testing.TB, table string, merchants int) *archive {
	a := &archive{t: t, db: testkit.DB(t), table: table}
	a.store = store.New(a.db)
	for range merchants {
		id := uuid.Must(uuid.NewV7())
		a.exec("insert into merchants (id, name, webhook_secret) values (?, 'Shop', 'x')", id)
		a.merchants = append(a.merchants, id)
	}
	return a
}

func (a *archive) exec(query string, args ...any) {
	a.t.Helper()
	if _, err := a.db.ExecContext(a.t.Context(), query, args...); err != nil {
		a.t.Fatal(err)
	}
}

// columns are the less interesting columns of an insert, with their values.
func (a *archive) columns() (names, values string) {
	names = "key_id, wallet, asset, process_by, amount, fiat_currency, webhook_url, percent_rate, network_fee, pays_network_fee"
	values = "'k', 'w', 'USDT', 'crypto_amount', 1, 'USD', '', 0, 0, true"
	if a.table == "payouts" {
		return names + ", debit, rate_fee, fee_from_amount", values + ", 1, 0, false"
	}
	return names + ", minimum_payment, expires_at", values + ", 100, now()"
}

// add inserts rows of one merchant in one statement, each of another kind, at moments of a few.
func (a *archive) add(r *rand.Rand, merchant uuid.UUID, rows int, moments ...time.Time) {
	a.t.Helper()
	names, values := a.columns()
	var tuples []string
	for range rows {
		tuples = append(tuples, fmt.Sprintf("(gen_random_uuid(), '%s', gen_random_uuid(), '%s', '%s', '%s', '%s', %s)", merchant, pick(r, listTokens),
			pick(r, listNetworks), pick(r, listStatuses[a.table]), pick(r, moments).Format(time.RFC3339Nano), values))
	}
	a.exec("insert into " + a.table + " (id, merchant_id, reference_id, token, network, status, created_at, " + names + ") values " +
		strings.Join(tuples, ","))
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// row is the part of a payin or payout looked at by the tests.
type row struct {
	ID        uuid.UUID
	Reference string `bun:"reference_id"`
	Status    string
	CreatedAt time.Time
}

// naive returns every matching row by the plainest query there is.
func (a *archive) naive(f lists.Filter) (rows []row) {
	a.t.Helper()
	q := a.db.NewSelect().Table(a.table).Column("id", "reference_id", "status", "created_at").Where("merchant_id = ?", f.Merchant)
	a.filtered(q, f, "status", map[string]string{"token": f.Token, "network": f.Network, "reference_id": f.Reference}, &rows)
	return rows
}

// filtered reads the rows of a filter in the lists' order: the statuses in their column, and the columns with a
// required value.
func (a *archive) filtered(q *bun.SelectQuery, f lists.Filter, status string, holds map[string]string, rows any) {
	a.t.Helper()
	for column, value := range holds {
		if value != "" {
			q = q.Where("? = ?", bun.Ident(column), value)
		}
	}
	if len(f.Statuses) > 0 {
		q = q.Where("? in (?)", bun.Ident(status), bun.List(f.Statuses))
	}
	if !f.From.IsZero() {
		q = q.Where("created_at >= ?", f.From)
	}
	if !f.Until.IsZero() {
		q = q.Where("created_at < ?", f.Until)
	}
	if err := q.Order("created_at DESC", "id DESC").Scan(a.t.Context(), rows); err != nil {
		a.t.Fatal(err)
	}
}

// read returns the ids of a page and the counts.
func (a *archive) read(f lists.Filter) ([]uuid.UUID, map[string]int) {
	a.t.Helper()
	var ids []uuid.UUID
	if a.table == "payouts" {
		rows, counts, err := lists.Payouts(a.t.Context(), a.store, f)
		if err != nil {
			a.t.Fatal(err)
		}
		for _, r := range rows {
			ids = append(ids, r.ID)
		}
		return ids, counts
	}
	rows, counts, err := lists.Payins(a.t.Context(), a.store, f)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids, counts
}

func publicStatus(status string) string {
	if slices.Contains([]string{"queued", "signed", "sent"}, status) {
		return "pending"
	}
	return status
}

// compare reads a page both ways.
func (a *archive) compare(f lists.Filter) {
	a.t.Helper()
	rows, want := a.naive(f), map[string]int{}
	for _, r := range rows {
		want[publicStatus(r.Status)]++
	}
	skip := min((f.Page-1)*f.PerPage, len(rows))
	ids, counts := a.read(f)
	if fmt.Sprint(counts) != fmt.Sprint(want) {
		a.t.Fatalf("%+v: counts %v, want %v", f, counts, want)
	}
	page := rows[skip:min(skip+f.PerPage, len(rows))]
	if !slices.EqualFunc(ids, page, func(id uuid.UUID, r row) bool { return id == r.ID }) {
		a.t.Fatalf("%+v of %d: %v, want %v", f, len(rows), ids, page)
	}
}

// anyFilter asks for something, mostly with answers.
func (a *archive) anyFilter(r *rand.Rand) lists.Filter {
	f := lists.Filter{Merchant: pick(r, a.merchants), Page: 1, PerPage: 1 + r.IntN(100)}
	if r.IntN(2) == 0 {
		f.Token = pick(r, append(listTokens, "BTC"))
	}
	if r.IntN(2) == 0 {
		f.Network = pick(r, listNetworks)
	}
	if r.IntN(2) == 0 {
		f.Statuses = []string{pick(r, listStatuses[a.table][3:])}
		if r.IntN(2) == 0 {
			f.Statuses = listStatuses[a.table][:1]
			if a.table == "payouts" {
				f.Statuses = listStatuses[a.table][:3]
			}
		}
	}
	if r.IntN(3) == 0 {
		f.From = time.Date(2026, time.Month(1+r.IntN(4)), 1+r.IntN(31), 0, 0, 0, 0, pay.DayZone)
	}
	if r.IntN(3) == 0 {
		f.Until = time.Date(2026, time.Month(2+r.IntN(4)), 1+r.IntN(31), 0, 0, 0, 0, pay.DayZone)
	}
	matching := a.naive(f)
	f.Page += r.IntN(len(matching)/f.PerPage + 2)
	if len(matching) > 0 && r.IntN(10) == 0 {
		f.Reference, f.Page = pick(r, matching).Reference, 1+r.IntN(2)
	}
	return f
}

// moments are where buckets meet, and one within an hour.
func moments() (out []time.Time) {
	for _, edge := range []time.Time{
		time.Date(2026, 2, 1, 0, 0, 0, 0, pay.DayZone), time.Date(2026, 3, 1, 0, 0, 0, 0, pay.DayZone), time.Date(2026, 3, 2, 0, 0, 0, 0,
			pay.DayZone),
		time.Date(2026, 3, 2, 5, 0, 0, 0, pay.DayZone), time.Date(2026, 4, 1, 0, 0, 0, 0, pay.DayZone), time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC),
	} {
		out = append(out, edge, edge.Add(-time.Microsecond), edge.Add(17*time.Minute))
	}
	return out
}

// Every page of every filter equals the answer of the plainest queries, after any additions, moves, removals and folds.
//
// Covers api-v1 §GET /v1/list-payout: The summary is about
// Covers addendum §10: list-payout takes any range
func TestListsEqualNaiveQueries(t *testing.T) {
	t.Parallel()
	for table, statuses := range listStatuses {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			a := newArchive(t, table, 2)
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			r := rand.New(rand.NewPCG(seed, 1))
			// A month and a day with too many rows to be skipped one by one, a split hour, and a minute in it.
			busy := time.Date(2026, 3, 2, 5, 17, 0, 0, pay.DayZone)
			a.add(r, a.merchants[0], 3000, busy, busy.Add(time.Second), busy.Add(59*time.Second+999*time.Millisecond))
			a.add(r, a.merchants[0], 900, moments()[6:9]...)
			for range 25 {
				a.add(r, pick(r, a.merchants), 1+r.IntN(60), moments()...)
				a.exec("update "+table+" set status = ? where id in (select id from "+table+" order by random() limit ?)",
					pick(r, statuses), r.IntN(40))
				switch r.IntN(4) {
				case 0:
					a.exec("delete from " + table + " where id in (select id from " + table + " order by random() limit 3)")
				case 1:
					a.exec("update "+table+" set created_at = ?, token = ? where id in (select id from "+table+" order by random() limit 3)", pick(r, moments()), pick(r, listTokens))
				case 2:
					a.exec("select fold_list_changes(?)", 1+r.IntN(300))
				}
				for range 8 {
					a.compare(a.anyFilter(r))
				}
			}
			a.foldAll()
			if table == "payouts" {
				var other int
				err := a.db.NewRaw("select count(*) from payouts where wire_status <> public_status(status)").Scan(t.Context(), &other)
				if err != nil || other > 0 {
					t.Errorf("%d payouts have another status than they are counted under, %v", other, err)
				}
			}
			if n := a.splits(); n != 2 {
				t.Errorf("%d of an hour and a minute are split", n)
			}
			for range 20 {
				a.compare(a.anyFilter(r))
			}
		})
	}
}
