package workers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/tasks"
	"causeway/workers"
)

// looksAtTwo is a world with payouts that are sent, whose follower looks up two in a step and pauses for an hour.
func looksAtTwo(t *testing.T, payouts int) *world {
	t.Helper()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	w.workers.Follow = workers.Pace{Busy: time.Hour, Idle: time.Hour}
	w.workers.LookAt(2)
	for range payouts {
		w.payout("Tron", "USDT", "1", destination)
	}
	w.work()
	return w
}

// TestManyOpenPayoutsAreSettledWithoutPauses: a follower that has looked at as many transactions as one look takes, and found
// news of them, looks again at once.
func TestManyOpenPayoutsAreSettledWithoutPauses(t *testing.T) {
	t.Parallel()
	w := looksAtTwo(t, 7)
	_, err := w.chain.Mine(t.Context(), "Tron", 8)
	require.NoError(t, err)
	w.exec("update jobs set run_at = now() where kind = 'network.follow'")
	completed := func() int { return w.count("select count(*) from payouts where status = 'completed'") }
	for completed() < 7 {
		due, err := w.store.TakeDue(t.Context(), []string{string(tasks.FollowNetwork)}, 1, tasks.Visibility)
		require.NoError(t, err)
		require.Len(t, due, 1, "after %d it pauses", completed())
		require.NoError(t, w.workers.Do(t.Context(), tasks.Job{Kind: tasks.FollowNetwork, Ref: due[0].Ref, Attempt: due[0].Attempt}))
	}
}

// TestNewsThatChangesNoLookIsFollowedByAPause: a network whose nodes know and do not know the same transactions is not looked at
// without an end.
func TestNewsThatChangesNoLookIsFollowedByAPause(t *testing.T) {
	t.Parallel()
	w := looksAtTwo(t, 3)
	w.exec("update signed_transactions set state = 'signed'")
	w.exec("update jobs set run_at = now() where kind = 'network.follow'")
	due, err := w.store.TakeDue(t.Context(), []string{string(tasks.FollowNetwork)}, 1, tasks.Visibility)
	require.NoError(t, err)
	require.Len(t, due, 1)
	require.NoError(t, w.workers.Do(t.Context(), tasks.Job{Kind: tasks.FollowNetwork, Ref: due[0].Ref, Attempt: due[0].Attempt}))
	require.Equal(t, 2, w.count("select count(*) from signed_transactions where state = 'sent'"))
	require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'network.follow' and last_error is null and run_at > now() + interval '30 minutes'"))
}
