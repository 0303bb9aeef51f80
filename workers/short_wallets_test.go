package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// leaves makes a hot wallet hold so much USDT, and lets a look find it.
func (w *world) leaves(amount string) {
	w.t.Helper()
	n, _ := w.registry.Network("Ethereum")
	held := w.paidTo("Ethereum", n.Hot).Sub(dec(amount))
	w.exec("update sandbox_holdings set amount = amount - ? where network = 'Ethereum' and token = 'USDT' and address = ?", held, n.Hot)
	w.exec("update sandbox_transactions set amount = amount - ? where network = 'Ethereum' and token = 'USDT' and recipient_match = ? and nonce is null", held, n.Hot)
	w.reconcile()
}

// Queued payouts that ask for more than the hot wallet holds are told of at once, with the amount that is missing and the address.
//
// Covers operator §Holdings: Queued payouts that ask for more
func TestAWalletTooSmallIsToldAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "2000")
	w.leaves("250")
	n, _ := w.registry.Network("Ethereum")
	require.Empty(t, w.needs("Queued payouts"))

	w.exec("delete from stopped_assets")
	sent := w.payout("Ethereum", "USDT", "100", destination)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(sent.ID).Status)
	w.payout("Ethereum", "USDT", "150", destination)
	require.Empty(t, w.needs("Queued payouts"), "both are covered")
	w.payout("Ethereum", "USDT", "50.25", destination)
	require.Equal(t, []admin.Trouble{{
		What: "Queued payouts on Ethereum ask for 200.25 USDT, and the hot wallet has 150 for them: send 50.25 USDT or more to " + n.HotAddress() + ".",
		Do:   "causeway admin wallet list", Page: "networks",
	}}, w.needs("Queued payouts"))
	w.equal("100", w.holding("Ethereum", "USDT").Promised)

	_, err := w.chain.Mine(t.Context(), "Ethereum", 1) // the payout that was sent has left the wallet, and is not final
	require.NoError(t, err)
	w.roundWithout()
	w.reconcile()
	require.Equal(t, pay.PayoutSent, w.payoutNow(sent.ID).Status)
	v := w.holding("Ethereum", "USDT")
	w.equal("150", v.Hot)
	w.equal("150", v.Promised) // of the second, and not of the first again
	require.Len(t, w.needs("ask for 50.25 USDT, and the hot wallet has 0 for them: send 50.25 USDT or more to "+n.HotAddress()), 1)

	w.pays("Ethereum", "USDT", n.HotAddress(), "50.25")
	w.mine("Ethereum", 1)
	w.reconcile()
	require.Empty(t, w.needs("Queued payouts"))
}
