package simulation

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/tasks"
)

// TestDueTimesGoByTheDatabasesClock: the processes' clocks say anything. Those of this test are hours away from the
// database's. A job is due when the database says so, a payin expires then, and a step of the clock in either direction
// loses nothing.
func TestDueTimesGoByTheDatabasesClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 11)
	require.NoError(t, w.clock.pass(100*24*time.Hour)) // no process is anywhere near
	w.fund()
	w.requestPayin()
	w.requireNothing("a payin ends by another clock",
		"select id::text from payins where expires_at not between now() and now() + interval '25 hours'")
	require.NoError(t, w.clock.pass(26*time.Hour))
	w.round()
	w.requireNothing("a payin is not expired", "select id::text from payins where status = 'pending' and wallet_id is null")

	look := func() int {
		n, err := w.nextRelay().RingDue(context.Background())
		require.NoError(t, err)
		w.bell.tasks = nil
		return n
	}
	for look() > 0 {
	}
	require.NoError(t, w.clock.pass(-time.Hour))
	require.Zero(t, look(), "what is due in an hour")
	require.NoError(t, w.clock.pass(time.Hour+tasks.Visibility))
	require.Positive(t, look())
	w.rest()
	w.final()
}
