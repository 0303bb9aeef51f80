package lists_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"causeway/internal/lists"
	"causeway/internal/pay"
)

var listMovements = []string{"DEPOSIT", "WITHDRAWAL", "RATE", "FEE", "WITHDRAWAL_REFUND", "DEPOSIT_REVERSAL"}

// post writes the postings of entries, as one statement, some of them no movements.
func (a *archive) post(r *rand.Rand, merchant uuid.UUID, entries int, moments ...time.Time) {
	a.t.Helper()
	var tuples []string
	for range entries {
		network := "'" + pick(r, listNetworks) + "'"
		if r.IntN(20) == 0 {
			network = "null"
		}
		movements := slices.Clone(listMovements)
		r.Shuffle(len(movements), func(i, j int) { movements[i], movements[j] = movements[j], movements[i] })
		movements = movements[:r.IntN(4)]
		a.entry++
		same := fmt.Sprintf("'%s', 1, '%s', 0, %s, '%s'", pick(r, listTokens), merchant, network, pick(r, moments).Format(time.RFC3339Nano))
		for place, movement := range movements {
			types := "null"
			if place == 0 {
				types = "'" + strings.Join(movements, " ") + "'"
			}
			tuples = append(tuples, fmt.Sprintf("(%d, 1, 2, %s, '%s', %s)", a.entry*16+place+1, same, movement, types))
		}
		tuples = append(tuples, fmt.Sprintf("(%d, 1, 2, %s, null, null)", a.entry*16+len(movements)+1, same))
	}
	a.exec("insert into postings (id, from_account, to_account, asset, amount, merchant_id, balance_after, network, created_at, movement, types) values " +
		strings.Join(tuples, ","))
}

// movements returns the ids of every matching movement by the plainest query there is.
func (a *archive) movements(f lists.Filter) (ids []string) {
	a.t.Helper()
	q := a.db.NewSelect().Table("postings").Column("id").Where("merchant_id = ? and movement is not null", f.Merchant)
	a.filtered(q, f, "movement", map[string]string{"asset": f.Token, "network": f.Network}, &ids)
	return ids
}

// anyMovements reads a page of some filter both ways.
func (a *archive) anyMovements(r *rand.Rand) {
	a.t.Helper()
	f := lists.Filter{Merchant: pick(r, a.merchants), Page: 1, PerPage: 1 + r.IntN(100)}
	if r.IntN(2) == 0 {
		f.Token = pick(r, append(listTokens, "BTC"))
	}
	if r.IntN(2) == 0 {
		f.Network = pick(r, listNetworks)
	}
	if first := r.IntN(2 * len(listMovements)); first < len(listMovements) {
		f.Statuses = listMovements[first:min(first+1+r.IntN(2), len(listMovements))]
	}
	if r.IntN(3) == 0 {
		f.From = time.Date(2026, time.Month(1+r.IntN(4)), 1+r.IntN(31), 0, 0, 0, 0, pay.DayZone)
	}
	if r.IntN(3) == 0 {
		f.Until = time.Date(2026, time.Month(2+r.IntN(4)), 1+r.IntN(31), 0, 0, 0, 0, pay.DayZone)
	}
	want := a.movements(f)
	f.Page += r.IntN(len(want)/f.PerPage + 2)
	ids, total, err := lists.Movements(a.t.Context(), a.store, f)
	skip := min((f.Page-1)*f.PerPage, len(want))
	if page := want[skip:min(skip+f.PerPage, len(want))]; err != nil || total != len(want) || !slices.Equal(ids, page) {
		a.t.Fatalf("%+v: %v of %d, %v; want %v of %d", f, ids, total, err, page, len(want))
	}
}

// Every page of every filter of the statement equals the answer of the plainest queries, after any postings and folds.
//
// Covers addendum §10: GET /v1/statements filters
// Covers addendum §10: list-payout takes any range
func TestMovementsEqualNaiveQueries(t *testing.T) {
	t.Parallel()
	a := newArchive(t, "moving_entries", 2)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	busy := time.Date(2026, 3, 2, 5, 17, 0, 0, pay.DayZone)
	a.post(r, a.merchants[0], 3000, busy, busy.Add(time.Second), busy.Add(59*time.Second+999*time.Millisecond))
	a.post(r, a.merchants[0], 900, moments()[6:9]...)
	for range 25 {
		a.post(r, pick(r, a.merchants), 1+r.IntN(60), moments()...)
		if r.IntN(2) == 0 {
			a.exec("select fold_list_changes(?)", 1+r.IntN(300))
		}
		for range 8 {
			a.anyMovements(r)
		}
	}
	a.foldAll()
	if n := a.splits(); n != 2 {
		t.Errorf("%d of an hour and a minute are split", n)
	}
	for range 20 {
		a.anyMovements(r)
	}
	a.differ(busy, 0)
	a.exec("analyze postings")
	var plan []string
	err := a.db.NewRaw("explain select * from moving_entries where merchant_id = ? and created_at >= ? and created_at < ?",
		a.merchants[0], busy.Add(-time.Hour), busy).Scan(t.Context(), &plan)
	if err != nil || !strings.Contains(strings.Join(plan, "\n"), "postings_statement") {
		t.Errorf("entries of an hour are not found by their time: %q, %v", plan, err)
	}
	a.exec("alter table postings disable trigger postings_counted")
	a.exec("insert into postings (id, from_account, to_account, asset, amount, merchant_id, movement, types, balance_after, created_at) values (?, 1, 2, 'USDT', 1, ?, 'FEE', 'FEE', 0, ?)",
		(a.entry+1)*16+1, a.merchants[0], busy)
	a.differ(busy, 1)
	if _, _, err := lists.Movements(t.Context(), a.store, lists.Filter{Merchant: a.merchants[0], Reference: "r", Page: 1, PerPage: 1}); err == nil {
		t.Error("a reference was taken")
	}
}

// differ looks at the counts of a day as reconciliation does.
func (a *archive) differ(day time.Time, want int) {
	a.t.Helper()
	var found int
	err := a.db.NewRaw("select count(*) from list_count_differences(list_bucket('day', ?0), list_bucket('day', ?0) + interval '1 day')",
		day).Scan(a.t.Context(), &found)
	if err != nil || found != want {
		a.t.Fatalf("%d counts differ, %v; want %d", found, err, want)
	}
}
