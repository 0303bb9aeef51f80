package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

// slowToBump is a node with an interruption while it is asked for a replacement.
type slowToBump struct {
	chains.Sender
	meanwhile func()
}

func (s slowToBump) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	if len(spend.Over) > 0 {
		s.meanwhile()
	}
	return s.Sender.Prepare(ctx, spend)
}

// stuckPayout is a payout of 50 USDT on Ethereum, sent two minutes ago to a network with a patience of one.
func (w *world) stuckPayout() (*chains.Network, *pay.Payout) {
	w.t.Helper()
	w.fund("Ethereum", "USDT", "100")
	n, _ := w.registry.Network("Ethereum")
	n.BumpAfter = time.Minute
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	w.exec("update signed_transactions set sent_at = now() - interval '2 minutes'")
	return n, p
}

func (w *world) takeBroadcasts() []store.DueJob {
	w.t.Helper()
	due, err := w.store.TakeDue(w.t.Context(), []string{string(tasks.BroadcastPayout)}, 10, tasks.Visibility)
	require.NoError(w.t, err)
	return due
}

// A follower steps several times while a stuck transaction is replaced. It leaves the job to the attempt working on it. Else this one
// would be fenced, as would each after it for as long as the node is slow.
func TestFollowingLeavesAReplacementUnderWayAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, p := w.stuckPayout()
	w.follow(t.Context())
	w.exec("update jobs set run_at = now() where kind = 'payout.broadcast'")
	due := w.takeBroadcasts()
	require.Len(t, due, 1)
	n.Sender = slowToBump{n.Sender, func() {
		w.follow(t.Context())
		w.exec("update jobs set run_at = run_at - interval '2 seconds'") // as long as the node takes
		w.follow(t.Context())
		require.Empty(t, w.takeBroadcasts())
	}}
	require.NoError(t, w.workers.Do(t.Context(), tasks.Job{Kind: tasks.BroadcastPayout, Ref: due[0].Ref, Attempt: due[0].Attempt}))
	signed, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, signed, 2)
	require.Equal(t, 0, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
}

// Nothing is signed for a payout ended while the node was asked for a higher fee: the transaction would stay open for ever.
func TestAPayoutThatEndsMeanwhileIsNotReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, p := w.stuckPayout()
	n.Sender = slowToBump{n.Sender, func() {
		for range 6 {
			_, err := w.chain.Mine(t.Context(), "Ethereum", 1)
			require.NoError(t, err)
			w.follow(t.Context())
		}
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	}}
	w.broadcast(p.ID)
	w.work()
	signed, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, signed, 1)
	require.Zero(t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
}
