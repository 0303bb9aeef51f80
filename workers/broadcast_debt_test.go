package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/tasks"
)

// indebted is a world whose merchant spent a deposit of 50 USDT, later taken by a reorganisation: the account owes 46.45. Of its
// payouts, large is above a limit of 30 and small is not; nothing is signed for either.
func indebted(t *testing.T) (w *world, a *admin.Admin, large, small *pay.Payout) {
	t.Helper()
	w = newWorldThatMayDiffer(t, "Ethereum")
	a = &admin.Admin{Store: w.store, Actor: "ann"}
	in := w.payin("Ethereum", "USDT", "50")
	deposit := w.pays("Ethereum", "USDT", in.Wallet, "50")
	w.mine("Ethereum", 4)
	w.limit("USDT", "30")
	large, small = w.payout("Ethereum", "USDT", "40", destination), w.payout("Ethereum", "USDT", "4", destination)
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 6, deposit)
	require.NoError(t, err)
	for range 4 {
		_, err := w.chain.Mine(t.Context(), "Ethereum", 1)
		require.NoError(t, err)
		w.roundWithout(tasks.BroadcastPayout)
	}
	w.equal("-46.44", w.balance("USDT").Available)
	w.work()
	return w, a, large, small
}

// Payouts of an account in debt wait for a person, and show the debt; an approval sends one, and a decline lowers the debt.
//
// Covers operator §Console: A payout of an account that owes
// Covers addendum §6: No payout takes available below zero
func TestPayoutsOfAnAccountThatOwesWait(t *testing.T) {
	t.Parallel()
	w, a, large, small := indebted(t)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(large.ID).Status)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(small.ID).Status)
	waiting, err := a.Waiting(t.Context())
	require.NoError(t, err)
	require.Len(t, waiting, 2)
	why := map[string]string{}
	for _, p := range waiting {
		w.equal("46.44", p.Owes.Decimal)
		why[p.ID.String()] = p.Why
		shown, err := a.Payout(t.Context(), p.ID.String())
		require.NoError(t, err)
		w.equal("46.44", shown.Approval.Owes.Decimal)
	}
	require.Equal(t, "above the limit of 30 USDT", why[large.ID.String()])
	require.Equal(t, "its account owes 46.44 USDT", why[small.ID.String()])
	require.Len(t, w.needs("Shop owes 46.44 USDT, for"), 1)

	_, err = a.ApprovePayout(t.Context(), small.ID.String())
	require.NoError(t, err)
	_, err = a.DeclinePayout(t.Context(), large.ID.String())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(small.ID).Status)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(large.ID).Status)
	require.Len(t, w.needs("Shop owes 5.04 USDT, for"), 1)
}

// Once the debt is made good, the payouts waiting for it alone are due at once, and the others wait on. Payouts of another asset
// never waited.
//
// Covers operator §Console: A payout of an account that owes
func TestADebtThatIsMadeGoodLetsPayoutsGoOn(t *testing.T) {
	t.Parallel()
	w, a, large, small := indebted(t)
	w.fund("Ethereum", "ETH", "100")
	other := w.payout("Ethereum", "ETH", "10", destination)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(other.ID).Status)

	in := w.payin("Ethereum", "USDT", "50")
	w.pays("Ethereum", "USDT", in.Wallet, "50")
	_, err := w.chain.Mine(t.Context(), "Ethereum", 4)
	require.NoError(t, err)
	w.exec("update jobs set run_at = now() + interval '15 minutes' where kind = 'payout.broadcast'")
	w.exec("update jobs set run_at = now() where kind = 'network.follow'")
	due, err := w.store.TakeDue(t.Context(), nil, 100, 0)
	require.NoError(t, err)
	w.doAll(due)
	var woken int
	require.NoError(t, w.db.NewRaw("select count(*) from jobs where kind = 'payout.broadcast' and ref = ? and run_at <= now()", small.ID).
		Scan(t.Context(), &woken))
	require.Equal(t, 1, woken)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(small.ID).Status)
	waiting, err := a.Waiting(t.Context())
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Equal(t, large.ID, waiting[0].ID)
	require.False(t, waiting[0].Owes.Valid)
	require.Empty(t, w.needs("owes"))
}
