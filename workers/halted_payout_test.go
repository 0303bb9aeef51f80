package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
)

// Nothing is signed for a network followed by nobody any more: its true state is not known. Payouts of other networks go on, and
// those of this one do once a person has resumed it, by themselves.
//
// Covers addendum §7: While a network is halted
func TestAHaltedNetworkSignsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum", "Solana")
	w.fund("Ethereum", "USDT", "100")
	w.fund("Solana", "USDC", "100")
	deepest := w.haltEthereum()
	p := w.payout("Ethereum", "USDT", "50", destination)
	other := w.payout("Solana", "USDC", "50", "vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg")
	w.aged()
	w.work()
	w.mine("Solana", 40)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(other.ID).Status)
	require.Zero(t, w.count("select count(*) from signed_transactions where network = 'Ethereum'"))
	require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'payout.broadcast' and run_at > now() and last_error like 'payouts on Ethereum are stopped: %deeper than is remembered%'"))

	_, err := w.by("ops").ResumeNetwork(t.Context(), "Ethereum", deepest-1)
	require.NoError(t, err)
	w.goesOn(p)
}

// A process with stops read before the network was halted is held up by the signing transaction.
func TestATurnToSignSeesThatTheNetworkIsHalted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.work()
	first := w.payout("Ethereum", "USDT", "20", destination)
	w.work() // reads the stops
	require.Equal(t, pay.PayoutSent, w.payoutNow(first.ID).Status)
	deepest := w.haltEthereum()
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.round()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Equal(t, 1, w.count("select count(*) from signed_transactions"))

	_, err := w.by("ops").ResumeNetwork(t.Context(), "Ethereum", deepest-1)
	require.NoError(t, err)
	w.aged()
	w.work()
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("70", w.paidTo("Ethereum", destination))
}

// haltEthereum reorganises Ethereum deeper than is remembered, and returns the lowest remembered height.
func (w *world) haltEthereum() (deepest int64) {
	w.t.Helper()
	deepest = int64(w.count("select max(height) from chain_blocks where network = 'Ethereum'"))
	w.exec("delete from chain_blocks where network = 'Ethereum' and height < ?", deepest)
	_, err := w.chain.Reorg(w.t.Context(), "Ethereum", 1)
	require.NoError(w.t, err)
	w.mine("Ethereum", 1)
	require.Equal(w.t, 1, w.count("select count(*) from followers where network = 'Ethereum' and halted"))
	return deepest
}
