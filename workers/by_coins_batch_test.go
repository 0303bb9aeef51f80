package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
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
	_, err = (&admin.Admin{Store: w.store, Actor: "ops"}).CancelPayout(t.Context(), payouts[0].ID.String())
	require.NoError(t, err)
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

// The second of two payments by expiry is final: a person is shown it.
func TestASecondPaymentIsShown(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	w.fund("Tron", "USDT", "100")
	w.faults("Tron", "broadcast", "timeout-after-send")
	p := w.payout("Tron", "USDT", "50", tronPayee)
	w.round()
	w.exec("update signed_transactions set state = 'expired', height = 1") // a death that was none
	_, err := w.chain.Mine(t.Context(), "Tron", 1)
	require.NoError(t, err)
	w.faults("Tron", "broadcast", "")
	w.only(t.Context(), tasks.BroadcastPayout)
	w.mine("Tron", 8)
	w.equal("100", w.paidTo("Tron", tronPayee))
	t.Log(w.signedFor(p), w.differs())
	require.NotContains(t, w.signedFor(p), pay.TxReplaced, "it is in a final block")
	require.Equal(t, 1, w.count("select count(*) from contrary_transactions"))
}

// The control of finding 19.
func TestACompletedPayoutIsSignedAgain(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	w.fund("Tron", "USDT", "100")
	p := w.payout("Tron", "USDT", "50", tronPayee)
	w.round()
	w.mine("Tron", 5)
	history, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	n, _ := w.registry.Network("Tron")
	head, err := n.Scanner.Head(t.Context(), -1)
	require.NoError(t, err)
	w.faults("Tron", "broadcast", "timeout")
	_, err = w.chain.Reorg(t.Context(), "Tron", int(head.Height-*history[0].Height)+1, history[0].Txid)
	require.NoError(t, err)
	w.mine("Tron", 26)
	t.Log(w.signedFor(p), w.differs())
	w.faults("Tron", "broadcast", "")
	w.round()
	w.round()
	_, err = w.chain.Mine(t.Context(), "Tron", 1)
	require.NoError(t, err)
	w.follow(t.Context())
	t.Log(w.signedFor(p), w.differs())
	w.mine("Tron", 6)
	w.equal("50", w.paidTo("Tron", tronPayee))
}
