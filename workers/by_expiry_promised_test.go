package workers_test

import (
	"context"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/tasks"
)

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
	history, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	n, _ := w.registry.Network("Tron")
	head, err := n.Scanner.Head(t.Context(), -1)
	require.NoError(t, err)
	w.faults("Tron", "broadcast", "timeout")
	_, err = w.chain.Reorg(t.Context(), "Tron", int(head.Height-*history[0].Height)+1, history[0].Txid)
	require.NoError(t, err)
	w.minesQuietly("Tron", 2)
	undone := w.allDifferences()
	w.minesQuietly("Tron", 26)
	dead := w.allDifferences()
	w.faults("Tron", "broadcast", "")
	w.only(t.Context(), tasks.BroadcastPayout)
	_, err = w.chain.Mine(t.Context(), "Tron", 1)
	require.NoError(t, err)
	w.follow(t.Context())
	mined := w.allDifferences()
	states := w.signedFor(p)
	w.mine("Tron", 6)
	after := w.allDifferences()
	t.Log(states, "\nundone", undone, "\ndead", dead, "\nmined", mined, "\nafter", after)
	require.Empty(t, undone)
	require.Empty(t, dead)
	require.Empty(t, mined)
	require.Empty(t, after)
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
	w.exec("update jobs set run_at = now() + interval '1 day' where kind = 'payout.broadcast'")
	for range 24 {
		_, err := w.chain.Mine(t.Context(), "Tron", 1)
		require.NoError(t, err)
	}
	w.only(t.Context(), tasks.FollowNetwork)
	require.Equal(t, []pay.SignedState{pay.TxExpired}, w.signedFor(p))
	w.exec("update jobs set run_at = now() + interval '1 day' where kind = 'payout.broadcast'")
	q := w.payout("Tron", "USDT", large.String(), "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE")
	w.exec("update jobs set run_at = now() + interval '1 day' where kind = 'payout.broadcast' and ref = ?", p.ID)
	w.exec("update jobs set run_at = now() - interval '1 hour' where kind = 'payout.broadcast' and ref = ?", q.ID)
	due, err := w.store.TakeDue(t.Context(), []string{string(tasks.BroadcastPayout)}, 1, tasks.Visibility)
	require.NoError(t, err)
	require.Len(t, due, 1)
	require.NoError(t, w.workers.Do(t.Context(), tasks.Job{Kind: tasks.BroadcastPayout, Ref: due[0].Ref, Attempt: due[0].Attempt}))
	t.Log(w.troubles(), w.signedFor(q))
	w.round()
	require.False(t, len(w.signedFor(p)) > 1 && len(w.signedFor(q)) > 0, "both are signed, of %s USDT: 50 and %s", held[0], large)
	_ = chains.ErrShort
}
