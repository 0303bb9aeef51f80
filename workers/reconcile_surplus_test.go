package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// surplusOfSix is a world with 6 ETH on Base beyond the books, beside 20 of a merchant and the hot wallet's, and the operator was
// told of it.
func surplusOfSix(t *testing.T) (w *world, move func(amount string), ops *admin.Admin) {
	t.Helper()
	w = newWorld(t, "Base")
	p := w.payin("Base", "ETH", "20")
	w.pays("Base", "ETH", p.Wallet, "20")
	w.mine("Base", 4)
	w.receiver.clear()
	n, _ := w.registry.Network("Base")
	move = func(amount string) {
		w.exec("update sandbox_holdings set amount = amount + ? where network = 'Base' and token = 'ETH' and address = ?",
			dec(amount), n.Addresser.Match(p.Wallet))
	}
	move("6")
	w.reconcile()
	require.Equal(t, []string{"the ledger equals what our addresses hold"}, w.reported())
	return w, move, &admin.Admin{Store: w.store, Actor: "ops"}
}

// A surplus of 6 is open, and 5 are taken from a deposit address: the network still holds more than the books say. It is a loss
// all the same, stops the payouts, and is mended like any other.
//
// Covers operator §Admin: A surplus that shrinks without a correction
func TestALossShowsThroughASurplus(t *testing.T) {
	t.Parallel()
	w, move, ops := surplusOfSix(t)
	w.mine("Base", 30)
	w.reconcile()
	require.Equal(t, 0, w.count("select count(*) from stopped_assets"), "a surplus stops nothing")

	move("-5")
	w.reconcile()
	found, err := w.store.LastReport(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.False(t, found[0].Surplus)
	require.Equal(t, []string{"an open surplus shrinks by corrections only", "Base", "300026", "300021"},
		[]string{found[0].Check, found[0].Where, found[0].Want, found[0].Got})
	require.Equal(t, 1, w.count("select count(*) from stopped_assets where asset = 'ETH'"))
	o := w.payout("Base", "ETH", "1", "0x713b5b91dc828a57ea7d9097a2f6e0bf5c1fea08")
	w.aged()
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(o.ID).Status)
	_, err = ops.ResumeAsset(t.Context(), "ETH", "")
	require.ErrorContains(t, err, "found 1 difference of ETH")

	correct := func(amount, although string) {
		_, err := ops.CorrectTreasury(t.Context(), admin.NewCorrection{Network: "Base", Asset: "ETH", Amount: amount, Reason: "taken", Although: although})
		require.NoError(t, err)
	}
	correct("-5", "")
	correct("2", "0") // of the surplus, before the next look: each counts for itself
	w.reconcile()
	require.Equal(t, []string{"the ledger equals what our addresses hold"}, w.reported(), "the 4 that are left of the surplus")
	_, err = ops.ResumeAsset(t.Context(), "ETH", "")
	require.NoError(t, err)
	correct("4", "")
	w.reconcile()
	require.Empty(t, w.reported())
	w.aged()
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(o.ID).Status)
	w.mine("Base", 30)
}

// A surplus in a block undone by a reorganisation was never there: anybody can pay dust unseen, and its end must not stop a coin.
//
// Covers operator §Admin: A surplus counts
func TestASurplusOfAnUndoneBlockIsNoLoss(t *testing.T) {
	t.Parallel()
	w, move, _ := surplusOfSix(t)
	_, err := w.chain.Reorg(t.Context(), "Base", 1)
	require.NoError(t, err)
	move("-6")
	w.mine("Base", 30)
	w.reconcile()
	require.Empty(t, w.reported())
	require.Equal(t, 0, w.count("select count(*) from stopped_assets"))
}
