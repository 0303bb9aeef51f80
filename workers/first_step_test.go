package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/pay"
	"causeway/scheduler"
)

// What a network holds is booked by the first step along it: a payout that is signed before would be in what is booked and be
// booked again when it is final.
//
// Covers addendum §7: Nothing is signed for a network before the first step
func TestNothingIsSignedBeforeTheFirstStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	n := w.addsEthereum()
	to, err := n.Addresser.Derive(t.Context(), 77)
	require.NoError(t, err)
	p := w.payout("Ethereum", "USDT", "50", to)
	w.broadcast(p.ID)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'payout.broadcast' and run_at > now() and last_error like 'Ethereum is not followed yet%'"))

	w.exec("insert into followers (network, error) values ('Ethereum', 'the node has no blocks')") // steps that have failed are none
	w.aged()
	w.broadcast(p.ID)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	w.mine("Ethereum", 2)
	w.aged()
	w.work()
	w.mine("Ethereum", 8)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Ethereum", to))
}

// addsEthereum adds a network that is followed from its head on, and that no step has seen yet.
func (w *world) addsEthereum() *chains.Network {
	t := w.t
	t.Helper()
	eth, _ := pay.NetworkNamed("Ethereum")
	tron, _ := pay.NetworkNamed("Tron")
	require.NoError(t, sandbox.Genesis(t.Context(), w.db, *eth))
	_, err := w.chain.Mine(t.Context(), "Ethereum", 5)
	require.NoError(t, err)
	w.registry, err = chains.NewRegistry(sandbox.OpenAll(w.db, []pay.Network{*tron, *eth}, sandbox.Options{Signs: true})...)
	require.NoError(t, err)
	w.workers.Networks = w.registry
	n, _ := w.registry.Network("Ethereum")
	n.StartAt = -1
	require.NoError(t, scheduler.Plan(t.Context(), w.store, []string{"Ethereum"}))
	return n
}
