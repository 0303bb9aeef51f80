package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// A payout above the installation's amount is signed once two people have approved it, although its merchant has no limit. One at the
// amount needs nobody.
//
// Covers operator §Console: An amount of the installation
// Covers operator §Console: The first of two people
func TestTwoPeopleApproveALargePayout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	ann, bob := &admin.Admin{Store: w.store, Actor: "ann"}, &admin.Admin{Store: w.store, Actor: "bob"}
	w.fund("Ethereum", "USDT", "200")
	_, err := ann.SetTwoPeople(t.Context(), "40")
	require.NoError(t, err)
	large, small := w.payout("Ethereum", "USDT", "50", destination), w.payout("Ethereum", "USDT", "40", destination)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(small.ID).Status)
	waiting, err := ann.Waiting(t.Context())
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Equal(t, large.ID, waiting[0].ID)
	require.Equal(t, "worth more than 40 USD: two people approve it", waiting[0].Why)
	require.True(t, waiting[0].TwoPeople)

	shown, err := ann.ApprovePayout(t.Context(), large.ID.String())
	require.NoError(t, err)
	require.Equal(t, "ann", *shown.Approval.FirstBy)
	require.Nil(t, shown.Approval.Decision)
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(large.ID).Status)
	for _, same := range []string{"ann", "Ann"} {
		_, err = (&admin.Admin{Store: w.store, Actor: same}).ApprovePayout(t.Context(), large.ID.String())
		require.ErrorContains(t, err, "needs a second person: ann has approved it already")
	}

	w.exec("update payout_approvals set seal = 'another'")
	shown, err = bob.ApproveSealed(t.Context(), large.ID.String(), large.Seal)
	require.NoError(t, err)
	require.Equal(t, "bob", *shown.Approval.FirstBy, "an approval of another seal counts no more")
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(large.ID).Status)
	shown, err = ann.ApprovePayout(t.Context(), large.ID.String())
	require.NoError(t, err)
	require.Equal(t, []string{"bob", "ann", "approved"}, []string{*shown.Approval.FirstBy, *shown.Approval.DecidedBy, *shown.Approval.Decision})
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(large.ID).Status)
}

// Nobody can raise or lower a payout waiting by a limit of the merchant, one person declines, and without the amount a payout goes on
// by itself.
//
// Covers operator §Console: An amount of the installation
func TestWhatTwoPeopleApproveWaitsWhateverTheLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	ann := &admin.Admin{Store: w.store, Actor: "ann"}
	w.fund("Ethereum", "USDT", "200")
	_, err := ann.SetTwoPeople(t.Context(), "40")
	require.NoError(t, err)
	w.limit("USDT", "45")
	stays, stopped := w.payout("Ethereum", "USDT", "50", destination), w.payout("Ethereum", "USDT", "51", destination)
	w.work()
	_, err = ann.ClearPayoutLimit(t.Context(), w.merchant, admin.NewLimit{Unit: "USDT"})
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(stays.ID).Status)
	_, err = ann.DeclinePayout(t.Context(), stopped.ID.String())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(stopped.ID).Status)

	_, err = ann.SetTwoPeople(t.Context(), "off")
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(stays.ID).Status)
}

// A payout without any price is worth more than every amount.
//
// Covers operator §Console: An amount of the installation
func TestTwoPeopleApproveWhatNobodyCanPrice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	ann := &admin.Admin{Store: w.store, Actor: "ann"}
	w.fund("Ethereum", "USDT", "200")
	_, err := ann.SetTwoPeople(t.Context(), "1000000")
	require.NoError(t, err)
	p := w.payout("Ethereum", "USDT", "5", destination)
	w.exec("update payouts set fiat_amount = null")
	w.exec("delete from prices")
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
}
