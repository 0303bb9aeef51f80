package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
)

// tells is a sender whose drafts have the network's next nonce, as those of real networks do.
type tells struct {
	chains.Sender
	counter chains.Counter
	hot     string
}

func (s tells) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	next, err := s.counter.NextNonce(ctx, s.hot)
	if err != nil {
		return nil, err
	}
	draft, err := s.Sender.Prepare(ctx, spend)
	return told{draft, next}, err
}

type told struct {
	chains.Draft
	next uint64
}

func (d told) Spare() chains.Spare {
	spare := d.Draft.Spare()
	spare.Next = &d.next
	return spare
}

// TestFailoverUnderARunningSigner: a replica without the commit of the last signature takes over, and the signer goes on, having
// looked at the nonce within the last minute. Another payout must not get the nonce of the transaction in the mempool: the signature
// after it would pay the first one twice.
func TestFailoverUnderARunningSigner(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	n.Sender = tells{n.Sender, n.Counter, n.Hot}
	w.fund("Ethereum", "USDT", "1000")
	lost := w.payout("Ethereum", "USDT", "50", destination)
	replica := testkit.Copy(t)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(lost.ID).Status)

	r := w.restored(replica)
	n, _ = r.registry.Network("Ethereum")
	n.Sender = tells{n.Sender, n.Counter, n.Hot}
	process := w.workers
	w.workers, r.workers = r.workers, process
	w.workers.Store, w.workers.Networks = w.store, w.registry
	process.Store, process.Networks = r.store, r.registry
	other := r.payout("Ethereum", "USDT", "20", elsewhere)
	r.broadcast(other.ID)
	require.Equal(t, pay.PayoutQueued, r.payoutNow(other.ID).Status)
	require.Contains(t, r.troubled(other), "the chain's next nonce is 1, ours 0")
	r.work()
	r.unsigned(lost, other)

	r.mine("Ethereum", 6)
	_, err := r.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutCompleted, r.payoutNow(lost.ID).Status)
	r.folded()
	_, err = r.store.ResumeAsset(t.Context(), "USDT", "")
	require.NoError(t, err)
	r.aged()
	r.work()
	r.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, r.payoutNow(other.ID).Status)
	r.equal("50", r.paidTo("Ethereum", destination))
	r.equal("20", r.paidTo("Ethereum", elsewhere))
}

// TestWhatIsToldLateStopsNothing: others have signed and sent since, and the told nonce is of before or after it.
func TestWhatIsToldLateStopsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	n.Sender = tells{n.Sender, n.Counter, n.Hot}
	w.fund("Ethereum", "USDT", "1000")
	one, two, three := w.payout("Ethereum", "USDT", "50", destination), w.payout("Ethereum", "USDT", "20", elsewhere), w.payout("Ethereum", "USDT", "5",
		elsewhere)
	w.meanwhile("Ethereum", func() { w.broadcast(two.ID) })
	w.broadcast(one.ID)
	w.broadcast(three.ID)
	w.mine("Ethereum", 6)
	for _, p := range []*pay.Payout{one, two, three} {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	}
	require.Zero(t, w.count("select count(*) from stopped_wallets"))
}
