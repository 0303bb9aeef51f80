package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
)

const destination = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

// Covers addendum §7: completed: the transfer
// Covers api-v1 §Payout: payment_processed tells
// Covers api-v1 §What the service does: Payouts send
func TestPayoutIsSentOnceAndCompletes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.equal("48.5", w.balance("USDT").Available)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	w.mine("Ethereum", 4)
	got := w.payoutNow(p.ID)
	require.Equal(t, pay.PayoutCompleted, got.Status)
	require.NotNil(t, got.Txid)
	require.Equal(t, []string{"payment_processed:success"}, w.receiver.got())
	w.equal("50", w.paidTo("Ethereum", destination))
}

// Covers addendum §7: failed: it cannot
// Covers api-v1 §Payout: payment_processed tells
func TestRejectedPayoutFailsAndIsRefunded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.faults("Ethereum", "broadcast", "reject")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.equal("100", w.balance("USDT").Available)
	require.Equal(t, []string{"payment_failed:failed"}, w.receiver.got())
	w.faults("Ethereum", "broadcast", "")
	w.mine("Ethereum", 4)
	w.equal("0", w.paidTo("Ethereum", destination))
}

// Covers addendum §7: failed: it cannot
func TestUnknownBroadcastStaysPendingAndIsSentOnce(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"timeout", "timeout-after-send", "down"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			w.faults("Ethereum", "broadcast", fault)
			p := w.payout("Ethereum", "USDT", "50", destination)
			w.work()
			require.Equal(t, "pending", w.payoutNow(p.ID).Status.Public())
			w.faults("Ethereum", "broadcast", "")
			w.work()
			w.mine("Ethereum", 5)
			require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
			w.equal("50", w.paidTo("Ethereum", destination))
			w.equal("48.5", w.balance("USDT").Total())
		})
	}
}

func TestOrphanedPayoutIsSentAgainWithTheSameBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	w.mine("Ethereum", 6)
	first := *w.payoutNow(p.ID).Txid
	_, err := w.chain.Reorg(context.Background(), "Ethereum", 8, first)
	require.NoError(t, err)
	w.work()
	w.mine("Ethereum", 6)
	require.Equal(t, first, *w.payoutNow(p.ID).Txid)
	w.equal("50", w.paidTo("Ethereum", destination))
	require.Equal(t, []string{"payment_processed:success"}, w.receiver.got())
}

func TestTwoAttemptsAtOnceSignOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "50", destination)
	done := make(chan error, 8)
	for range cap(done) {
		go func() { done <- w.workers.Do(context.Background(), broadcastOf(p)) }()
	}
	for range cap(done) {
		require.NoError(t, <-done)
	}
	w.work()
	signed, err := w.store.SignedOf(context.Background(), p.ID)
	require.NoError(t, err)
	require.Len(t, signed, 1)
}

// Covers operator §Admin: payout cancel takes effect
func TestCancelledBeforeSigningIsRefunded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "50", destination)
	ok, err := w.store.CancelPayout(context.Background(), p.ID)
	require.NoError(t, err)
	require.True(t, ok)
	w.work()
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.equal("100", w.balance("USDT").Available)
}
