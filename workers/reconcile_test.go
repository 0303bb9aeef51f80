package workers_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/ledger"
	"causeway/tasks"
	"causeway/workers/payouts"
)

// faults of the books: each is planted behind the triggers' back, and mended as an operator with a copy does.
var faults = map[string]struct {
	plant, mend string
	checks      []string // to be found by it
}{
	"edited balance": {
		"update balances set available = available + 1000 where asset = 'USDT'",
		"update balances set available = available - 1000 where asset = 'USDT'",
		[]string{"balance is the sum of its postings"},
	},
	"edited posting": {
		"update postings set amount = amount + 1 where id = (select min(id) from postings where movement = 'DEPOSIT')",
		"update postings set amount = amount - 1 where id = (select min(id) from postings where movement = 'DEPOSIT')",
		[]string{"an entry is what was written", "balance is the sum of its postings", "the ledger equals what our addresses hold"},
	},
	"moved posting": { // between accounts, none of them checked by itself
		"update postings set to_account = (select id from accounts where name = 'platform:dust') where id = (select min(id) from postings where movement = 'RATE')",
		"update postings set to_account = (select id from accounts where name = 'payouts:held') where id = (select min(id) from postings where movement = 'RATE')",
		[]string{"an entry is what was written"},
	},
	"movement that lists do not find": {
		"update postings set types = 'WITHDRAWAL' where movement = 'WITHDRAWAL'",
		"update postings set types = 'WITHDRAWAL RATE FEE' where movement = 'WITHDRAWAL'",
		[]string{"an entry is what was written"},
	},
	"deleted posting": {
		`create table copy as select * from postings where id = (select min(id) from postings where movement = 'WITHDRAWAL');
			delete from postings where id = (select id from copy)`,
		"insert into postings select * from copy",
		[]string{"an entry is what was written", "balance is the sum of its postings", "held is the sum of open payouts"},
	},
	"phantom credit": {
		`select post(array['0190163d-8694-739b-aea5-966c26f8ad91']::uuid[], array['payin_credited']::entry_kind[], array[0],
			array[substr(sha256(convert_to('outside:Ethereum>merchant:' || m.id || ':available USDT 500 DEPOSIT' || E'\n', 'UTF8')), 1, 15)],
			array[1], array[1], array['outside:Ethereum'], array['merchant:' || m.id || ':available'], array['USDT'], array[500], array['DEPOSIT'],
			array[m.id], array['Ethereum'], array['DEPOSIT']) from merchants m`,
		`delete from postings where id / 16 in (select id from entries where subject::text like '0190163d%');
			delete from entries where subject::text like '0190163d%';
			update balances set available = available - 500 where asset = 'USDT'`,
		[]string{"an entry is what was written", "the ledger equals what our addresses hold"},
	},
	"gas that was never spent comes back": {
		`select post(array['0190163d-8694-739b-aea5-966c26f8ad91']::uuid[], array['gas_spent']::entry_kind[], array[1],
			array[substr(sha256(convert_to('outside:Ethereum>platform:network-fees USDT 500 ' || E'\n', 'UTF8')), 1, 15)],
			array[1], array[1], array['outside:Ethereum'], array['platform:network-fees'], array['USDT'], array[500], array[null],
			array[null]::uuid[], array[null], array[''])`,
		`delete from postings where id / 16 in (select id from entries where subject::text like '0190163d%');
			delete from entries where subject::text like '0190163d%'`,
		[]string{"an entry is what was written", "the ledger equals what our addresses hold"},
	},
	"coin that came beside nothing": {
		`select post(array['0190163d-8694-739b-aea5-966c26f8ad91']::uuid[], array['beside_received']::entry_kind[], array[0],
			array[substr(sha256(convert_to('outside:Ethereum>platform:network-fees USDT 500 ' || E'\n', 'UTF8')), 1, 15)],
			array[1], array[1], array['outside:Ethereum'], array['platform:network-fees'], array['USDT'], array[500], array[null],
			array[null]::uuid[], array[null], array[''])`,
		`delete from postings where id / 16 in (select id from entries where subject::text like '0190163d%');
			delete from entries where subject::text like '0190163d%'`,
		[]string{"an entry is what was written", "the ledger equals what our addresses hold"},
	},
	"missing job": {"delete from jobs where kind = 'payout.broadcast'", "select 1", []string{"an open payout has its job"}},
}

func TestPlantedFaultsAreFoundAndStopTheAsset(t *testing.T) {
	t.Parallel()
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.exec("insert into accounts (name) values ('platform:dust') on conflict do nothing")
			w.fund("Ethereum", "USDT", "100")
			p := w.payout("Ethereum", "USDT", "50", destination)
			w.exec("update payouts set updated_at = now() - interval '1 minute'")
			w.folded()
			require.Empty(t, w.reported())

			w.plant(fault.plant)
			found := w.folded()
			for _, check := range fault.checks {
				require.Contains(t, found, check)
			}
			w.stopped(p)
			if name == "missing job" {
				require.Equal(t, "payout "+p.ID.String()+" had no job; it has one again", w.stopReason("USDT"))
			}

			w.plant(fault.mend)
			require.NoError(t, w.workers.Reconcile.Recount(t.Context()))
			w.folded()
			require.Empty(t, w.reported())
			resumed, err := w.store.ResumeAsset(t.Context(), "USDT", "")
			require.NoError(t, err)
			require.True(t, resumed)
			w.goesOn(p)
		})
	}
}

func (w *world) stopReason(asset string) (reason string) {
	w.t.Helper()
	require.NoError(w.t, w.db.NewRaw("select reason from stopped_assets where asset = ?", asset).Scan(w.t.Context(), &reason))
	return reason
}

func TestMissingJobsArePutBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.exec(`insert into deliveries (id, merchant_id, subject, event, url, body) values ('0190163d-8694-739b-aea5-966c26f8ad91', ?, ?, 'payment_processed', ?, '{}')`,
		w.merchant, w.merchant, w.receiver.URL)
	w.exec("delete from jobs where kind in ('network.follow', 'prices.refresh')")
	w.reconcile()
	require.ElementsMatch(t, []string{"a pending delivery has its job", "what comes again is planned", "what comes again is planned"}, w.reported())
	w.reconcile()
	require.Empty(t, w.reported())
	require.Equal(t, 3, w.count("select count(*) from jobs where kind in ('network.follow', 'prices.refresh', 'webhook.deliver')"))
	require.Zero(t, w.count("select count(*) from stopped_assets"))
	w.work()
	require.Len(t, w.receiver.got(), 1)
}

// A posting written at once with the look, or rolled back, is neither missed nor counted twice.
func TestFoldingWhileOthersWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "1000")
	ctx := t.Context()
	slow, err := w.db.BeginTx(ctx, nil) // takes a low number and commits late
	require.NoError(t, err)
	post := func(q bun.IDB, reference string) {
		_, err := ledger.Post(ctx, q, ledger.TreasuryCorrected("Ethereum", "USDT", reference, dec("1")),
			ledger.TreasuryCorrected("Ethereum", "USDT", reference+"-", dec("-1")))
		require.NoError(t, err)
	}
	post(slow, "late")
	var others sync.WaitGroup
	for i := range 4 {
		others.Go(func() {
			for j := range 20 {
				tx, err := w.db.BeginTx(ctx, nil)
				if err != nil {
					t.Error(err)
					return
				}
				post(tx, fmt.Sprint(i, j))
				if j%3 == 0 {
					err = tx.Rollback()
				} else {
					err = tx.Commit()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 {
		w.reconcile()
		require.Empty(t, w.reported())
	}
	require.LessOrEqual(t, w.count("select max(folded) from ledger_passes where live"),
		w.count("select max(id) from entries where kind <> 'treasury_corrected'"))
	others.Wait()
	require.NoError(t, slow.Commit())
	require.Empty(t, w.folded())
	require.Equal(t, 1, w.count(`select count(*) from account_sums s join ledger_passes p on p.pass = s.pass and p.live
		join accounts a on a.id = s.account where a.name = 'platform:treasury' and s.asset = 'USDT' and s.amount =
			(select sum(case when q.to_account = a.id then q.amount else -q.amount end) from postings q where a.id in (q.from_account, q.to_account) and q.asset = 'USDT')`))
}

// A transaction newer than every ended one has its number below the mark too, and is waited for.
func TestFoldingWaitsForTheNewestTransaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "1000")
	w.folded()
	slow, err := w.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = ledger.Post(t.Context(), slow, ledger.TreasuryCorrected("Ethereum", "USDT", "late", dec("1")),
		ledger.TreasuryCorrected("Ethereum", "USDT", "late-", dec("-1")))
	require.NoError(t, err)
	var taken int
	require.NoError(t, slow.NewRaw("select min(id) from entries where kind = 'treasury_corrected'").Scan(t.Context(), &taken))
	for range 3 {
		_, err = w.store.FoldLedger(t.Context(), 100)
		require.NoError(t, err)
	}
	require.Less(t, w.count("select max(ripe) from ledger_passes"), taken)
	require.NoError(t, slow.Commit())
	require.Empty(t, w.folded())
}

// The books are restored on a server with fewer transaction ids given out than on their former one.
func TestFoldingGoesOnOnANewServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "1000")
	w.folded()
	w.exec("update ledger_passes set marked = ripe + 1, marked_xid = '1000000000000'")
	w.fund("Ethereum", "USDT", "1")
	require.Empty(t, w.folded())
}

// An entry possibly in the sums takes no more postings; new ones come with theirs.
func TestAPostingComesWithItsEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.folded()
	_, err := w.db.NewRaw(`insert into postings (id, from_account, to_account, asset, amount)
		select max(id) + 1, min(from_account), max(to_account), 'USDT', 1 from postings`).Exec(t.Context())
	var refused *pgconn.PgError
	require.True(t, errors.As(err, &refused) && refused.Code == "23001", "%v", err)
	w.fund("Ethereum", "USDT", "1")
	require.Empty(t, w.folded())
}

// stopped checks that an open payout waits, unsigned, because its asset is stopped.
func (w *world) stopped(p *pay.Payout) {
	w.t.Helper()
	stopped, err := w.store.StoppedAssets(context.Background())
	require.NoError(w.t, err)
	require.NotEmpty(w.t, stopped)
	for _, s := range stopped {
		require.Equal(w.t, "USDT", s.Asset)
		require.Contains(w.t, []string{"", "Ethereum"}, s.Network)
	}
	w.aged()
	w.work()
	require.Equal(w.t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Zero(w.t, w.count("select count(*) from signed_transactions"))
	require.Equal(w.t, 1, w.count("select count(*) from jobs where kind = 'payout.broadcast' and last_error ~ '^payouts of USDT( on Ethereum)? are stopped'"))
	require.Equal(w.t, len(stopped), w.count("select count(*) from audit where action = 'asset.stop' and actor = 'reconcile'"))
}

// goesOn checks that a waiting payout is paid now, once.
func (w *world) goesOn(p *pay.Payout) {
	w.t.Helper()
	w.aged()
	w.work()
	w.mine("Ethereum", 5)
	require.Equal(w.t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Ethereum", destination))
}

// aged makes the process's memory of stops out of date.
func (w *world) aged() {
	read := time.Now()
	testkit.Eventually(w.t, time.Minute, func() bool { return time.Since(read) > payouts.StopsAge }, "the stops are read again")
}

// folded looks until everything written is in the sums, and once more; it returns the findings of these looks.
func (w *world) folded() (found []string) {
	w.t.Helper()
	testkit.Eventually(w.t, time.Minute, func() bool {
		w.reconcile()
		found = append(found, w.reported()...)
		return w.count(`select count(*) from ledger_passes where not live or recount or folded < (select max(id) from entries) or touched <> ledger_touched()`) == 0
	}, "the ledger is folded")
	w.reconcile()
	return append(found, w.reported()...)
}

// plant changes rows behind the triggers' back.
func (w *world) plant(sql string) {
	w.t.Helper()
	tx, err := w.db.BeginTx(context.Background(), nil)
	require.NoError(w.t, err)
	defer func() { _ = tx.Rollback() }()
	for _, s := range []string{"set local session_replication_role = replica", sql, "select pg_stat_force_next_flush()"} {
		_, err := tx.Exec(s)
		require.NoError(w.t, err, s)
	}
	require.NoError(w.t, tx.Commit())
}

// reconcile runs the periodic look once.
func (w *world) reconcile() {
	w.t.Helper()
	ctx := context.Background()
	j, err := w.store.TakeJob(ctx, string(tasks.Reconcile), tasks.RefOf(string(tasks.Reconcile)), tasks.Visibility, "")
	require.NoError(w.t, err)
	require.NoError(w.t, w.workers.Do(ctx, tasks.Job{Kind: tasks.Reconcile, Ref: j.Ref, Attempt: j.Attempt}))
	row, err := w.store.Job(ctx, j.Kind, j.Ref)
	require.NoError(w.t, err)
	require.Nil(w.t, row.LastError)
}

// reported lists the checks broken in the last look.
func (w *world) reported() []string {
	w.t.Helper()
	found, err := w.store.LastReport(context.Background())
	require.NoError(w.t, err)
	out := []string{}
	for _, d := range found {
		out = append(out, d.Check)
	}
	return out
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.db.NewRaw(sql, args...).Exec(context.Background())
	require.NoError(w.t, err)
}

func (w *world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	require.NoError(w.t, w.db.NewRaw(sql, args...).Scan(context.Background(), &n))
	return n
}
