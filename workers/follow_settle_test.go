package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/tasks"
	"causeway/workers/follow"
)

// looksAtTwo is a world with sent payouts and a follower looking up two in a step and pausing for an hour.
func looksAtTwo(t *testing.T, payouts int) *world {
	t.Helper()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.workers.Follow.Pace = follow.Pace{Busy: time.Hour, Idle: time.Hour}
	w.workers.Follow.Pace.Open = 2
	for range payouts {
		w.payout("Ethereum", "USDT", "1", destination)
	}
	w.work()
	return w
}

// follow has the due follower of a network do one attempt.
func (w *world) follow(ctx context.Context) {
	w.t.Helper()
	w.only(ctx, tasks.FollowNetwork)
}

// only works on the one job of a kind, and on no other.
func (w *world) only(ctx context.Context, kind tasks.Kind) {
	w.t.Helper()
	w.exec("update jobs set run_at = now() where kind = ?", kind)
	due, err := w.store.TakeDue(ctx, []string{string(kind)}, 1, tasks.Visibility)
	require.NoError(w.t, err)
	require.Len(w.t, due, 1)
	require.NoError(w.t, w.workers.Do(ctx, tasks.Job{Kind: kind, Ref: due[0].Ref, Attempt: due[0].Attempt}))
}

// TestManyOpenPayoutsAreSettledWithoutPauses: a follower with news of some transactions, after a look at as many as one look takes,
// looks again by itself. If its process stops, or it has done so for long, the next step is due at once.
func TestManyOpenPayoutsAreSettledWithoutPauses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stopped bool
		left    time.Duration
		want    int
	}{
		"goes on":           {left: time.Minute, want: 7},
		"the process stops": {left: time.Minute, stopped: true, want: 2},
		"its time is over":  {left: 22 * time.Second, want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := looksAtTwo(t, 7)
			running, stop := context.WithCancel(t.Context())
			w.workers.Mux(running, 1)
			_, err := w.chain.Mine(t.Context(), "Ethereum", 8)
			require.NoError(t, err)
			if c.stopped {
				stop()
			}
			defer stop()
			ctx, cancel := context.WithTimeout(t.Context(), c.left)
			defer cancel()
			w.follow(ctx)
			require.Equal(t, c.want, w.count("select count(*) from payouts where status = 'completed'"))
			require.Equal(t, c.want < 7, w.count("select count(*) from jobs where kind = 'network.follow' and last_error is null and run_at <= now()") == 1)
		})
	}
}

// TestAStepThatOnlyMarksTransactionsSentIsFollowedByAPause: a network whose nodes know and do not know the same transactions is not
// looked at without an end.
func TestAStepThatOnlyMarksTransactionsSentIsFollowedByAPause(t *testing.T) {
	t.Parallel()
	w := looksAtTwo(t, 3)
	w.exec("update signed_transactions set state = 'signed'")
	w.follow(t.Context())
	require.Equal(t, 2, w.count("select count(*) from signed_transactions where state = 'sent'"))
	require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'network.follow' and last_error is null and run_at > now() + interval '30 minutes'"))
}

// TestASettledStepLocksJobsAfterPayouts: as recording payouts as sent does. A step waiting for a payout has no job yet of another
// payout to be sent again.
func TestASettledStepLocksJobsAfterPayouts(t *testing.T) {
	t.Parallel()
	w := looksAtTwo(t, 2)
	var vanished string
	require.NoError(t, w.db.NewRaw("select txid from signed_transactions where nonce = 1").Scan(t.Context(), &vanished))
	_, err := w.chain.Mine(t.Context(), "Ethereum", 1)
	require.NoError(t, err)
	_, err = w.chain.Reorg(t.Context(), "Ethereum", 1, vanished)
	require.NoError(t, err)
	_, err = w.chain.Mine(t.Context(), "Ethereum", 8)
	require.NoError(t, err)
	other, err := w.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = other.ExecContext(t.Context(), "select from payouts where id = (select payout_id from signed_transactions where nonce = 0) for update")
	require.NoError(t, err)
	ctx, done := context.WithTimeout(t.Context(), time.Minute)
	go func() {
		defer done()
		w.follow(ctx)
	}()
	testkit.Eventually(t, time.Minute, func() bool {
		return w.count("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") > 0
	}, "the step waits for the payout")
	_, err = other.ExecContext(t.Context(), `set local lock_timeout = '10s';
		insert into jobs (kind, ref, run_at) select 'payout.broadcast', payout_id, now() + interval '1 hour' from signed_transactions where nonce = 1`)
	require.NoError(t, err)
	require.NoError(t, other.Commit())
	<-ctx.Done()
	require.Equal(t, 1, w.count("select count(*) from payouts where status = 'completed'"))
	require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'payout.broadcast' and run_at > now() + interval '30 minutes'"))
}
