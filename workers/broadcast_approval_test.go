package workers_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
)

func (w *world) limit(unit, above string) {
	w.t.Helper()
	require.NoError(w.t, w.store.SavePayoutLimit(w.t.Context(), &store.PayoutLimit{MerchantID: w.merchant, Unit: unit, Per: store.PerPayout, Above: dec(above)}))
}

// A payout above a limit is not signed before it is approved, whatever is tried with it; one at the limit is.
//
// Covers operator §Console: A payout above a limit
func TestPayoutAboveALimitWaitsForApproval(t *testing.T) {
	t.Parallel()
	for unit, above := range map[string]string{"USDT": "49.99", "USD": "49", "BRL": "269"} {
		t.Run(unit, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			a := &admin.Admin{Store: w.store, Actor: "ann"}
			w.fund("Ethereum", "USDT", "200")
			w.limit(unit, above)
			large, small := w.payout("Ethereum", "USDT", "50", destination), w.payout("Ethereum", "USDT", "49", destination)
			w.work()
			require.Equal(t, pay.PayoutQueued, w.payoutNow(large.ID).Status)
			require.Equal(t, pay.PayoutSent, w.payoutNow(small.ID).Status)
			_, err := a.RetryPayout(t.Context(), large.ID.String())
			require.NoError(t, err)
			w.work()
			require.Equal(t, pay.PayoutQueued, w.payoutNow(large.ID).Status)
			signed, err := w.store.SignedOf(t.Context(), large.ID)
			require.NoError(t, err)
			require.Empty(t, signed)
			waiting, err := a.Waiting(t.Context())
			require.NoError(t, err)
			require.Len(t, waiting, 1)
			require.Equal(t, large.ID, waiting[0].ID)

			_, err = a.ApprovePayout(t.Context(), large.ID.String())
			require.NoError(t, err)
			w.work()
			require.Equal(t, pay.PayoutSent, w.payoutNow(large.ID).Status)
			_, err = a.ApprovePayout(t.Context(), large.ID.String())
			require.ErrorAs(t, err, new(admin.Refusal))
			w.mine("Ethereum", 4)
			w.equal("99", w.paidTo("Ethereum", destination))
		})
	}
}

// A declined payout fails and its debit comes back; nothing was ever signed.
//
// Covers operator §Console: A payout above a limit
func TestDeclinedPayoutIsRefunded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	a := &admin.Admin{Store: w.store, Actor: "ann"}
	w.fund("Ethereum", "USDT", "100")
	w.limit("USDT", "0")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	_, err := a.DeclinePayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.equal("100", w.balance("USDT").Available)
	signed, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	require.Empty(t, signed)
	waiting, err := a.Waiting(t.Context())
	require.NoError(t, err)
	require.Empty(t, waiting)
}

// A limit removed, or set between the look and the signature, counts at once.
//
// Covers operator §Console: A limit holds for every payout
func TestLimitsHoldFromWhenTheyAreSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	a := &admin.Admin{Store: w.store, Actor: "ann"}
	w.fund("Ethereum", "USDT", "200")
	first := w.payout("Ethereum", "USDT", "10", destination)
	w.work() // the process has just read an empty list of limits
	require.Equal(t, pay.PayoutSent, w.payoutNow(first.ID).Status)
	_, err := a.SetPayoutLimit(t.Context(), w.merchant, admin.NewLimit{Unit: "USDT", Above: "5"})
	require.NoError(t, err)
	second := w.payout("Ethereum", "USDT", "10", destination)
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(second.ID).Status)
	_, err = a.ClearPayoutLimit(t.Context(), w.merchant, admin.NewLimit{Unit: "USDT"})
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(second.ID).Status)
}

// A limit in a fiat goes by the prices used everywhere else: an amount comparable by an old price only is above it.
//
// Covers operator §Console: A limit holds for every payout
// Covers operator §Console: A payout above a limit
func TestALimitInAFiatGoesByPricesInUse(t *testing.T) {
	t.Parallel()
	const margin = time.Minute
	for unit, pair := range map[string]string{"USD": "ETH USD", "BRL": "USD BRL"} {
		t.Run(pair, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "ETH", "2000")
			w.limit(unit, "100000")
			aged := func(source string, pinned bool, age time.Duration) {
				w.exec("update prices set source = ?, pinned = ?, updated_at = now() - make_interval(secs => ?) where base || ' ' || quote = ?",
					source, pinned, age.Seconds(), pair)
			}
			for _, lasts := range []func(){
				func() { aged("median", false, pricing.MaxAge-margin) },
				func() { aged("operator", true, 100*pricing.MaxAge) },
				func() { aged("fixed", false, 100*pricing.MaxAge) },
			} {
				lasts()
				p := w.payout("Ethereum", "ETH", "1", destination)
				w.work()
				require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
			}
			p := w.payout("Ethereum", "ETH", "1", destination)
			for _, age := range []time.Duration{pricing.MaxAge + margin, -2 * margin} {
				aged("median", false, age)
				w.work()
				require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
			}
			aged("median", false, 0)
			w.exec("update jobs set run_at = now() where ref = ?", p.ID)
			w.work()
			require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
		})
	}
}

// The unsigned payouts of a suspended merchant wait for an operator, each for its own decision, and go on when it is suspended no
// more.
//
// Covers operator §Console: So waits, with the reason
func TestPayoutsOfASuspendedMerchantWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	a := &admin.Admin{Store: w.store, Actor: "ann"}
	suspend := func(yes bool) {
		_, err := a.UpdateMerchant(t.Context(), w.merchant, admin.MerchantChange{Suspended: &yes})
		require.NoError(t, err)
	}
	w.fund("Ethereum", "USDT", "200")
	first := w.payout("Ethereum", "USDT", "5", destination)
	w.work() // the process has just read an empty list of suspended merchants
	require.Equal(t, pay.PayoutSent, w.payoutNow(first.ID).Status)

	left := w.payout("Ethereum", "USDT", "10", destination)
	approved, declined := w.payout("Ethereum", "USDT", "20", destination), w.payout("Ethereum", "USDT", "40", destination)
	suspend(true)
	three := func() {
		t.Helper()
		waiting, err := a.Waiting(t.Context())
		require.NoError(t, err)
		require.Len(t, waiting, 3)
		for _, p := range waiting {
			require.Equal(t, "its merchant is suspended", p.Why)
			require.Equal(t, pay.PayoutQueued, p.Status)
			shown, err := a.Payout(t.Context(), p.ID.String())
			require.NoError(t, err)
			require.NotNil(t, shown.Approval)
			require.Equal(t, "its merchant is suspended", shown.Approval.Why)
		}
		require.Len(t, w.needs("3 payouts wait for approval"), 1)
		counts, err := w.store.WaitingCounts(t.Context())
		require.NoError(t, err)
		require.Equal(t, int64(3), counts.Approvals)
		among, err := w.store.WaitingAmong(t.Context(), []uuid.UUID{first.ID, left.ID, approved.ID, declined.ID})
		require.NoError(t, err)
		require.Len(t, among, 3)
	}
	three() // though no worker has come to them
	w.work()
	three()
	_, err := a.ApprovePayout(t.Context(), approved.ID.String())
	require.NoError(t, err)
	_, err = a.DeclinePayout(t.Context(), declined.ID.String())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(approved.ID).Status)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(declined.ID).Status)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(left.ID).Status)

	suspend(false)
	waiting, err := a.Waiting(t.Context())
	require.NoError(t, err)
	require.Empty(t, waiting, "it goes on by itself")
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(left.ID).Status)
	w.mine("Ethereum", 4)
	w.equal("35", w.paidTo("Ethereum", destination))
}
