package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
)

const destination = "TNDFkUNA2TukukC1Moeqj61pAS53NFchGF"

// Covers addendum §7: completed: the transfer
// Covers api-v1 §Payout: payment_processed tells
// Covers api-v1 §What the service does: Payouts send
func TestPayoutIsSentOnceAndCompletes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	p := w.payout("Tron", "USDT", "50", destination)
	w.equal("48.5", w.balance("USDT").Available)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	w.mine("Tron", 4)
	got := w.payoutNow(p.ID)
	require.Equal(t, pay.PayoutCompleted, got.Status)
	require.NotNil(t, got.Txid)
	require.Equal(t, []string{"payment_processed:success"}, w.receiver.got())
	w.equal("50", w.paidTo("Tron", destination))
}

// Covers addendum §7: failed: it cannot
// Covers api-v1 §Payout: payment_processed tells
func TestRejectedPayoutFailsAndIsRefunded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	w.faults("Tron", "broadcast", "reject")
	p := w.payout("Tron", "USDT", "50", destination)
	w.work()
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.equal("100", w.balance("USDT").Available)
	require.Equal(t, []string{"payment_failed:failed"}, w.receiver.got())
	w.faults("Tron", "broadcast", "")
	w.mine("Tron", 4)
	w.equal("0", w.paidTo("Tron", destination))
}

// Covers addendum §7: failed: it cannot
func TestUnknownBroadcastStaysPendingAndIsSentOnce(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"timeout", "timeout-after-send", "down"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Tron")
			w.fund("Tron", "USDT", "100")
			w.faults("Tron", "broadcast", fault)
			p := w.payout("Tron", "USDT", "50", destination)
			w.work()
			require.Equal(t, "pending", w.payoutNow(p.ID).Status.Public())
			w.faults("Tron", "broadcast", "")
			w.work()
			w.mine("Tron", 5)
			require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
			w.equal("50", w.paidTo("Tron", destination))
			w.equal("48.5", w.balance("USDT").Total())
		})
	}
}

func TestOrphanedPayoutIsSentAgainWithTheSameBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	p := w.payout("Tron", "USDT", "50", destination)
	w.work()
	w.mine("Tron", 6)
	first := *w.payoutNow(p.ID).Txid
	_, err := w.chain.Reorg(context.Background(), "Tron", 8, first)
	require.NoError(t, err)
	w.work()
	w.mine("Tron", 6)
	require.Equal(t, first, *w.payoutNow(p.ID).Txid)
	w.equal("50", w.paidTo("Tron", destination))
	require.Equal(t, []string{"payment_processed:success"}, w.receiver.got())
}

func TestTwoAttemptsAtOnceSignOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	p := w.payout("Tron", "USDT", "50", destination)
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
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	p := w.payout("Tron", "USDT", "50", destination)
	ok, err := w.store.CancelPayout(context.Background(), p.ID)
	require.NoError(t, err)
	require.True(t, ok)
	w.work()
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.equal("100", w.balance("USDT").Available)
}
