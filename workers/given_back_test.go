package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/tasks"
)

// TestALoneJobThatIsGivenBackIsDue: its task is not over, and could not be rung again before it is; a job of another attempt is left
// alone.
func TestALoneJobThatIsGivenBackIsDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "5", destination)
	running, stop := context.WithCancel(t.Context())
	stop()
	mux := w.workers.Mux(running, 1)
	taken := func(attempt int) int {
		w.exec("update jobs set attempt = 3, run_at = now() + interval '30 seconds' where kind = 'payout.broadcast'")
		require.NoError(t, mux.ProcessTask(t.Context(), tasks.TaskOf(tasks.Job{Kind: tasks.BroadcastPayout, Ref: p.ID, Attempt: attempt})))
		return w.count("select count(*) from jobs where kind = 'payout.broadcast' and attempt = 3 and run_at <= now()")
	}
	require.Zero(t, taken(2))
	require.Equal(t, 1, taken(3))
	w.unsigned(p)
}
