package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// While a networks file is rolled out, workers without a network yet take its jobs too: its payouts and its follower wait for a
// worker with it, and no payin there is failed by a worker that cannot know its payments.
//
// Covers operator §Roles: So it is with a network
// Covers addendum §8: No payin fails before
func TestWhatANetworkNeedsWaitsForWhoKnowsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum", "Tron")
	w.fund("Ethereum", "USDT", "100")
	in, out := w.payin("Ethereum", "USDT", "1"), w.payout("Ethereum", "USDT", "50", destination)
	w.exec("update payins set expires_at = now() where id = ?", in.ID)
	only, ok := w.registry.Network("Tron")
	require.True(t, ok)
	old, err := chains.NewRegistry(only)
	require.NoError(t, err)

	w.workers.Networks = old
	w.work()
	w.expireNow()
	require.Equal(t, pay.PayinPending, w.payinNow(in.ID).Status)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(out.ID).Status)
	require.Equal(t, 2, w.count("select count(*) from jobs where kind = 'network.follow' and run_at < now() + interval '1 minute'"))
	require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'payout.broadcast' and run_at between now() and now() + interval '1 minute'"))

	w.workers.Networks = w.registry
	w.work()
	w.mine("Ethereum", 4)
	w.expireNow()
	require.Equal(t, pay.PayinFailed, w.payinNow(in.ID).Status)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(out.ID).Status)
	w.equal("50", w.paidTo("Ethereum", destination))
}

// An unsigned payout can be stopped when its network is not configured any more.
//
// Covers operator §Console: A payout above a limit
func TestAPayoutOfARemovedNetworkIsDeclined(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum", "Tron")
	a := &admin.Admin{Store: w.store, Actor: "ann"}
	w.fund("Ethereum", "USDT", "100")
	w.limit("USDT", "0")
	declined, called := w.payout("Ethereum", "USDT", "50", destination), w.payout("Ethereum", "USDT", "30", destination)
	w.work()
	other, ok := w.registry.Network("Tron")
	require.True(t, ok)
	left, err := chains.NewRegistry(other)
	require.NoError(t, err)
	w.workers.Networks = left

	_, err = a.DeclinePayout(t.Context(), declined.ID.String())
	require.NoError(t, err)
	_, err = a.CancelPayout(t.Context(), called.ID.String())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(declined.ID).Status)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(called.ID).Status)
	w.equal("100", w.balance("USDT").Available)
}
