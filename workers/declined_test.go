package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A node that answers is well, though it declines one payout for a reason that lies with that payout: others are not held back.
func TestADeclinedPayoutDoesNotMakeItsNodeAiling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	stuck, txid := taken(w, "30", destination)
	w.mine("Tron", 1)
	require.Contains(t, w.troubled(stuck), "another transaction has this nonce")
	require.False(t, w.workers.Ailing("Tron"))
	w.faults("Tron", "broadcast", "timeout")
	w.work()
	require.Contains(t, w.troubled(stuck), "it is unknown whether Tron has")
	require.True(t, w.workers.Ailing("Tron"))
	w.faults("Tron", "broadcast", "")
	w.mine("Tron", 5)
	_, err := w.workers.BookSpend(t.Context(), "ops", "Tron", txid)
	require.NoError(t, err)
}
