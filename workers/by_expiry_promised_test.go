package workers_test

import (
	"context"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/tasks"
)

// losesPayment has the network undo the payment of a completed payout on Tron and forget it, while no node takes another.
func (w *world) losesPayment(p *pay.Payout) {
	w.t.Helper()
	history, err := w.store.SignedOf(w.t.Context(), p.ID)
	require.NoError(w.t, err)
	n, _ := w.registry.Network("Tron")
	head, err := n.Scanner.Head(w.t.Context(), -1)
	require.NoError(w.t, err)
	w.faults("Tron", "broadcast", "timeout")
	_, err = w.chain.Reorg(w.t.Context(), "Tron", int(head.Height-*history[0].Height)+1, history[0].Txid)
	require.NoError(w.t, err)
}

// allDifferences are those of the whole reconciliation, surpluses included.
func (w *world) allDifferences() (out []string) {
	w.t.Helper()
	report, err := w.workers.Reconcile.Report(w.t.Context())
	require.NoError(w.t, err)
	for _, d := range report.Differences {
		out = append(out, d.Check+" "+d.Where+" want "+d.Want+" got "+d.Got)
	}
	return out
}

// The undone payment of a completed payout has died: the books have it paid, and the chain has not.
func TestReconcileAfterTheDeathOfAPayment(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	w.fund("Tron", "USDT", "100")
	p := w.payout("Tron", "USDT", "50", tronPayee)
	w.round()
	w.mine("Tron", 5)
	w.losesPayment(p)
	w.minesQuietly("Tron", 2)
	require.Empty(t, w.allDifferences())
	w.minesQuietly("Tron", 26)
	require.Empty(t, w.allDifferences())
	w.faults("Tron", "broadcast", "")
	w.only(t.Context(), tasks.BroadcastPayout)
	w.mineUnseen("Tron", 1)
	w.follow(t.Context())
	require.Empty(t, w.allDifferences())
	w.mine("Tron", 6)
	require.Empty(t, w.allDifferences())
}

// Something signed again is promised, too.
func TestNothingIsSignedAgainBeyondWhatIsPromised(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	n, _ := w.registry.Network("Tron")
	head, err := n.Scanner.Head(context.Background(), -1)
	require.NoError(t, err)
	held, err := n.Holder.Holdings(t.Context(), "USDT", []string{n.Hot}, head.Height)
	require.NoError(t, err)
	large := held[0].Sub(decimal.NewFromInt(20))
	w.fund("Tron", "USDT", large.Mul(decimal.NewFromFloat(1.05)).Round(6).String())
	p := w.unsent()
	w.putOff()
	w.mineUnseen("Tron", 24)
	w.only(t.Context(), tasks.FollowNetwork)
	require.Equal(t, []pay.SignedState{pay.TxExpired}, w.signedFor(p))
	w.putOff()
	q := w.payout("Tron", "USDT", large.String(), "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE")
	w.exec("update jobs set run_at = now() + interval '1 day' where kind = 'payout.broadcast' and ref = ?", p.ID)
	w.exec("update jobs set run_at = now() - interval '1 hour' where kind = 'payout.broadcast' and ref = ?", q.ID)
	due, err := w.store.TakeDue(t.Context(), []string{string(tasks.BroadcastPayout)}, 1, tasks.Visibility)
	require.NoError(t, err)
	require.Len(t, due, 1)
	require.NoError(t, w.workers.Do(t.Context(), tasks.Job{Kind: tasks.BroadcastPayout, Ref: due[0].Ref, Attempt: due[0].Attempt}))
	w.round()
	require.False(t, len(w.signedFor(p)) > 1 && len(w.signedFor(q)) > 0, "both are signed, of %s USDT: 50 and %s", held[0], large)
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
	w.mineUnseen("Tron", 1)
	w.faults("Tron", "broadcast", "")
	w.only(t.Context(), tasks.BroadcastPayout)
	w.mine("Tron", 8)
	w.equal("100", w.paidTo("Tron", tronPayee))
	require.NotContains(t, w.signedFor(p), pay.TxReplaced, "it is in a final block")
	require.Equal(t, 1, w.count("select count(*) from contrary_transactions"))
}

// A completed payout whose payment is undone, and dead, is paid again.
func TestACompletedPayoutIsSignedAgain(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	w.fund("Tron", "USDT", "100")
	p := w.payout("Tron", "USDT", "50", tronPayee)
	w.round()
	w.mine("Tron", 5)
	w.losesPayment(p)
	w.mine("Tron", 26)
	w.faults("Tron", "broadcast", "")
	w.work()
	w.mine("Tron", 6)
	w.equal("50", w.paidTo("Tron", tronPayee))
}

// A payout that was to be stopped was completed, and is undone.
func TestACompletedPayoutThatWasToBeStoppedIsSignedAgain(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	w.fund("Tron", "USDT", "100")
	p := w.payout("Tron", "USDT", "50", tronPayee)
	w.round()
	w.cancels(p)
	w.mine("Tron", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.losesPayment(p)
	w.mine("Tron", 26)
	w.faults("Tron", "broadcast", "")
	w.mine("Tron", 6)
	w.equal("50", w.paidTo("Tron", tronPayee))
}
