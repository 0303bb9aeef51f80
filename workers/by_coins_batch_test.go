package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/tasks"
)

// A network rejects a batch for good that it had taken. All its payouts end.
func TestTheMatesOfARejectedBatchEndToo(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	txid, payouts := w.batch("2", "3")
	n, _ := w.registry.Network("Bitcoin")
	_, err := w.chain.Reorg(t.Context(), "Bitcoin", 1, txid) // the mempool has lost it
	require.NoError(t, err)
	w.exec("delete from jobs where kind = 'payout.broadcast'") // they have ended: it was taken
	sender, watcher := n.Sender, n.Watcher
	n.Sender, n.Watcher = denies{Sender: sender}, denies{}
	w.cancels(payouts[0])
	for range 4 {
		if w.count("select count(*) from jobs where kind = 'payout.broadcast'") == 0 {
			break
		}
		w.only(t.Context(), tasks.BroadcastPayout)
	}
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(payouts[0].ID).Status)
	n.Sender, n.Watcher = sender, watcher
	w.mine("Bitcoin", 6)
	w.mine("Bitcoin", 6)
	require.NotEqual(t, pay.PayoutSent, w.payoutNow(payouts[1].ID).Status, "neither paid nor refunded, and no job: %d",
		w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
}
