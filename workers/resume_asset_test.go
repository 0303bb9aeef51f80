package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/tasks"
)

// stopped is a world with USDT stopped by somebody and a clean newest report; 600 of it are missing since.
func stopped(t *testing.T) (*world, *admin.Admin) {
	t.Helper()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "1000")
	w.reconcile()
	require.Empty(t, w.reported())
	a := &admin.Admin{Store: w.store, Actor: "ops"}
	_, err := a.StopAsset(t.Context(), "USDT", "", "to be looked at")
	require.NoError(t, err)
	w.exec("update sandbox_holdings set amount = amount - 300 where network = 'Ethereum' and token = 'USDT'")
	return w, a
}

// held locks something until it is committed.
func (w *world) held(lock string) bun.Tx {
	w.t.Helper()
	tx, err := w.db.BeginTx(context.Background(), nil)
	require.NoError(w.t, err)
	_, err = tx.NewRaw(lock).Exec(context.Background())
	require.NoError(w.t, err)
	return tx
}

// await waits until so many statements wait for a lock.
func (w *world) await(waiting int) {
	w.t.Helper()
	testkit.Eventually(w.t, time.Minute, func() bool {
		return w.count("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") == waiting
	}, "it waits")
}

// reconciling begins a look, and tells its end.
func (w *world) reconciling() (ended chan error) {
	w.t.Helper()
	j, err := w.store.TakeJob(w.t.Context(), string(tasks.Reconcile), tasks.RefOf(string(tasks.Reconcile)), tasks.Visibility, "")
	require.NoError(w.t, err)
	ended = make(chan error, 1)
	go func() {
		ended <- w.workers.Do(context.Background(), tasks.Job{Kind: tasks.Reconcile, Ref: j.Ref, Attempt: j.Attempt})
	}()
	return ended
}

// A resume of an asset waits while a look with a difference of it is being written, and is refused by this finding.
//
// Covers operator §Admin: asset stop keeps
func TestResumeWaitsForALookThatFindsADifference(t *testing.T) {
	t.Parallel()
	w, a := stopped(t)
	n, _ := w.registry.Network("Ethereum")
	begun := make(chan bun.Tx, 1)
	n.Holder = &interrupted{Holder: n.Holder, at: 1, do: func() { // the job is the last row written by a look
		begun <- w.held("select from jobs where kind = 'reconcile' for update")
	}}
	looked := w.reconciling()
	job := <-begun
	w.await(1)
	resumed := make(chan error, 1)
	go func() {
		_, err := a.ResumeAsset(context.Background(), "USDT", "")
		resumed <- err
	}()
	w.await(2)
	require.NoError(t, job.Commit())
	require.NoError(t, <-looked)
	require.ErrorContains(t, <-resumed, "UTC, found 1 difference of USDT")
	require.Equal(t, 1, w.count("select count(*) from stopped_assets where asset = 'USDT' and reason = 'to be looked at'"))
	w.found()
}

// A look with a difference during a resume of the asset waits for the resume, and stops the asset again.
func TestALookStopsWhatIsResumedMeanwhile(t *testing.T) {
	t.Parallel()
	w, a := stopped(t)
	audit := w.held("lock table audit in exclusive mode") // the last table written by a resume
	resumed := make(chan error, 1)
	go func() {
		_, err := a.ResumeAsset(context.Background(), "USDT", "")
		resumed <- err
	}()
	w.await(1)
	looked := w.reconciling()
	w.await(2)
	require.NoError(t, audit.Commit())
	require.NoError(t, <-resumed)
	require.NoError(t, <-looked)
	require.Equal(t, 1, w.count("select count(*) from stopped_assets where asset = 'USDT' and reason like 'the ledger equals%'"))
	w.found()
}

// found gives back the missing amount.
func (w *world) found() {
	w.t.Helper()
	w.exec("update sandbox_holdings set amount = amount + 300 where network = 'Ethereum' and token = 'USDT'")
}
