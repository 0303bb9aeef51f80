package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/tasks"
)

// Books of another server lack a sent transaction. Its payout is not paid again with another coin.
func TestBooksOfAnotherServerLookThroughTheMempool(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	p := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.round()
	history, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, history, 1)
	// the books as they were before the last commit
	w.exec("delete from signed_transactions where payout_id = ?", p.ID)
	w.exec("update payouts set status = 'queued', txid = null where id = ?", p.ID)
	w.exec("update coins set slot = null where slot = ?", history[0].Nonce)
	w.exec("update signing_nonces set next = next - 1")
	w.exec("update followers set run = 'another'")
	w.exec("insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?, now() + interval '1 day')", p.ID)
	w.workers = w.another()
	w.exec("delete from jobs where kind = 'payout.broadcast' and ref = ?", p.ID) // it comes after the other
	other := w.payout("Bitcoin", "BTC", "3", coinPayees[1])
	w.round()
	w.exec("insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?, now())", p.ID)
	w.round()
	w.mine("Bitcoin", 5)
	t.Log(w.payoutNow(p.ID).Status, w.payoutNow(other.ID).Status, w.count("select count(*) from foreign_spends"))
	w.equal("2", w.bitcoins(coinPayees[0]))
}

// Of two transactions of a slot, the other may be mined after a reorganisation. The change of the first would be gone.
func TestChangeWithATwinIsSpentWhenItIsFinal(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	n, _ := w.registry.Network("Bitcoin")
	w.exec("update coins set slot = 1000000 where slot is null and spent_by is null and id <> (select min(id) from coins where slot is null and spent_by is null)")
	a := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.work()
	n.BumpAfter = time.Minute
	w.exec("update signed_transactions set sent_at = now() - interval '2 minutes' where state = 'sent'")
	w.work()
	n.BumpAfter = 0
	history, err := w.store.SignedOf(t.Context(), a.ID)
	require.NoError(t, err)
	require.Len(t, history, 2)
	w.mine("Bitcoin", 1) // the second, with its change
	b := w.payout("Bitcoin", "BTC", "3", coinPayees[1])
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(b.ID).Status) // for a final coin
	_, err = w.chain.Reorg(t.Context(), "Bitcoin", 1, history[1].Txid)
	require.NoError(t, err)
	outcome, reason := n.Sender.Broadcast(t.Context(), history[0].Raw)
	require.Equal(t, chains.Accepted, outcome, reason)
	w.mine("Bitcoin", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(a.ID).Status)
	w.exec("update coins set slot = null where slot = 1000000")
	w.mine("Bitcoin", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(b.ID).Status, w.troubles())
}

// A step records the death while an attempt ends the job.
func TestARingOfADeathIsNotLost(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	p := w.unsent()
	w.exec("update jobs set run_at = now() + interval '1 day' where kind = 'payout.broadcast'")
	for range 24 {
		_, err := w.chain.Mine(t.Context(), "Tron", 1)
		require.NoError(t, err)
	}
	_, err := (&admin.Admin{Store: w.store, Actor: "ops"}).CancelPayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	w.exec(`create function waits() returns trigger language plpgsql as $f$ begin perform pg_advisory_xact_lock(4711); return old; end $f$`)
	w.exec(`create trigger waits before delete on jobs for each row when (old.kind = 'payout.broadcast') execute function waits()`)
	tx, err := w.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = tx.ExecContext(t.Context(), "select pg_advisory_xact_lock(4711)")
	require.NoError(t, err)
	w.exec("update jobs set run_at = now() - interval '1 hour' where kind = 'payout.broadcast'")
	due, err := w.store.TakeDue(t.Context(), []string{string(tasks.BroadcastPayout)}, 1, tasks.Visibility)
	require.NoError(t, err)
	require.Len(t, due, 1)
	done := make(chan error)
	other := w.another()
	go func() {
		done <- other.Do(t.Context(), tasks.Job{Kind: tasks.BroadcastPayout, Ref: due[0].Ref, Attempt: due[0].Attempt})
	}()
	w.await(1)
	followed := make(chan struct{})
	go func() {
		w.only(context.WithoutCancel(t.Context()), tasks.FollowNetwork)
		close(followed)
	}()
	w.await(2) // the step waits for the attempt
	require.NoError(t, tx.Rollback())
	require.NoError(t, <-done)
	<-followed
	w.exec("drop trigger waits on jobs")
	w.mine("Tron", 5)
	w.mine("Tron", 5)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status, "nobody looks at it again")
}
