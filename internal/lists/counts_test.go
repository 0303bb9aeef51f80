package lists_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/internal/lists"
	"causeway/internal/store"
)

// foldAll folds every change. After this the counts alone must be the truth, with no row for nothing.
func (a *archive) foldAll() {
	a.t.Helper()
	if err := lists.FoldCounts(a.t.Context(), a.store); err != nil {
		a.t.Fatal(err)
	}
	var left, wrong int
	err := a.db.NewRaw(`with want as (
			select merchant_id, span, list_bucket(span, created_at) as starts, token, network, public_status(status) as status, count(*) as n
			from `+a.table+` o, (values ('month', ''), ('day', ''), ('hour', ''), ('minute', 'hour'), ('second', 'minute')) as s(span, wider)
			where wider = '' or exists (
				select from list_splits p where p.merchant_id = o.merchant_id and p.span = wider and p.starts = list_bucket(wider, created_at))
			group by 1, 2, 3, 4, 5, 6)
		select (select count(*) from list_changes), (select count(*) from want
			full join list_counts c using (merchant_id, span, starts, token, network, status) where want.n is distinct from c.n)`).
		Scan(a.t.Context(), &left, &wrong)
	if err != nil || left != 0 || wrong != 0 {
		a.t.Fatalf("%d changes not folded, %d counts differ, %v", left, wrong, err)
	}
}

// splits counts the hours and minutes counted by shorter spans.
func (a *archive) splits() (n int) {
	a.t.Helper()
	if err := a.db.NewRaw("select count(distinct span) from list_splits").Scan(a.t.Context(), &n); err != nil {
		a.t.Fatal(err)
	}
	return n
}

// differences are the findings of reconciliation about the counts.
func (a *archive) differences() (found []store.Difference) {
	a.t.Helper()
	all, err := a.store.LedgerDifferences(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	for _, d := range all {
		if strings.Contains(d.Check, "counts") {
			found = append(found, d)
		}
	}
	return found
}

// Reconciliation finds counts differing from the rows, and uncounted rows, without naming an asset: wrong lists stop no
// payouts.
func TestWrongCountsAreFound(t *testing.T) {
	t.Parallel()
	for _, folded := range []bool{false, true} {
		for what, harm := range map[string]string{
			"a count is off by one":       "update list_counts set n = n + 1 where (span, ctid) = (select span, ctid from list_counts where span = 'hour' limit 1)",
			"a day is not its hours":      "update list_counts set n = n + 1 where (span, ctid) = (select span, ctid from list_counts where span = 'day' limit 1)",
			"a minute is not counted":     "insert into list_splits select merchant_id, list, span, starts from list_counts where span = 'hour' limit 1",
			"a month is not its days":     "delete from list_counts where (span, ctid) = (select span, ctid from list_counts where span = 'month' limit 1)",
			"a row was added uncounted":   "alter table payouts disable trigger payouts_added",
			"a row was moved uncounted":   "alter table payouts disable trigger user; update payouts set status = 'failed'",
			"a row was removed uncounted": "alter table payouts disable trigger user; delete from payouts where id = (select id from payouts limit 1)",
		} {
			t.Run(fmt.Sprint(what, folded), func(t *testing.T) {
				t.Parallel()
				a := newArchive(t, "payouts", 2)
				r := rand.New(rand.NewPCG(1, 2))
				a.add(r, a.merchants[0], 30, time.Now())
				a.foldAll()
				if !folded {
					a.add(r, a.merchants[1], 30, time.Now())
				}
				if found := a.differences(); len(found) > 0 {
					t.Fatalf("before: %v", found)
				}
				a.exec(harm)
				a.add(r, a.merchants[1], 1, time.Now())
				if found := a.differences(); len(found) == 0 || found[0].Asset != "" {
					t.Errorf("found %v", found)
				}
			})
		}
	}
}

// Groups, moves of single rows in any order, folding and reading, all at once: nothing waits in a circle, no count is lost,
// and every page is of the same moment as its counts.
func TestListCountsUnderConcurrency(t *testing.T) {
	t.Parallel()
	a := newArchive(t, "payouts", 1)
	now := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var writers, readers sync.WaitGroup
	for seed := range uint64(6) {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(seed, 2))
			for range 15 {
				a.add(r, a.merchants[0], 40, now, now, now, now.Add(-time.Hour))
				a.moveSome(ctx, r)
			}
		})
	}
	done := make(chan struct{})
	for range 2 {
		readers.Go(func() { a.readUntil(done) })
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					a.exec("select fold_list_changes(200)")
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	a.foldAll()
	if a.splits() == 0 {
		t.Error("nothing was split meanwhile")
	}
}

// moveSome moves rows one after the other in a transaction, in a random order; it leaves out rows locked by others.
func (a *archive) moveSome(ctx context.Context, r *rand.Rand) {
	err := a.store.InTx(ctx, func(tx *store.Store) error {
		for range 10 {
			_, err := tx.Q.NewRaw(`update payouts set status = ? where id = (select id from payouts order by random() limit 1 for update skip locked)`,
				pick(r, listStatuses["payouts"])).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		a.t.Error(err)
	}
}

// readUntil reads the last page: it must have exactly as many rows as the counts leave for it.
func (a *archive) readUntil(done chan struct{}) {
	f := lists.Filter{Merchant: a.merchants[0], Page: 1, PerPage: 7}
	for {
		select {
		case <-done:
			return
		default:
		}
		ids, counts := a.read(f)
		total := 0
		for _, n := range counts {
			total += n
		}
		if want := max(0, min(f.PerPage, total-(f.Page-1)*f.PerPage)); len(ids) != want {
			a.t.Errorf("page %d of %d rows has %d", f.Page, total, len(ids))
			return
		}
		f.Page = max(1, (total+f.PerPage-1)/f.PerPage)
	}
}
