package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// An operator stops an asset and cancels a payout on its way, and it is cancelled: a cancellation moves no more than gas, though the
// asset is the coin for gas.
//
// Covers operator §Admin: asset stop keeps
func TestWhatIsOnItsWayIsCancelledWhileItsAssetIsStopped(t *testing.T) {
	t.Parallel()
	for _, asset := range []string{"USDT", "ETH"} {
		t.Run(asset, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", asset, "100")
			p := w.payout("Ethereum", asset, "50", destination)
			w.work()
			w.stopsAsset(asset)
			w.cancels(p)
			w.work()
			w.mine("Ethereum", 6)
			require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
			w.equal("0", w.paidTo("Ethereum", destination))
			w.equal("100", w.balance(asset).Available)
		})
	}
}

// A stopped wallet and a halted network cancel nothing: the owner of the nonce is not known.
func TestNothingIsCancelledWhileItsWalletOrNetworkIsStopped(t *testing.T) {
	t.Parallel()
	for stop, why := range map[string]string{
		"insert into stopped_wallets (network, address, ours, chain) select network, address, 1, 2 from signing_nonces where network = 'Ethereum'": "the hot wallet is stopped",
		"update followers set halted = true where network = 'Ethereum'":                                                                            "payouts on Ethereum are stopped",
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			p := w.payout("Ethereum", "USDT", "50", destination)
			w.work()
			w.exec(stop)
			w.aged()
			w.cancels(p)
			w.broadcast(p.ID)
			require.Equal(t, 1, w.count("select count(*) from signed_transactions"))
			require.Contains(t, w.troubled(p), why)
		})
	}
}

// The payment of a refunded payout, reverted and then undone, is cancelled while its asset is stopped: it would be paid beside the
// refund.
func TestARefundedPaymentIsCancelledWhileItsAssetIsStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	_, payment := w.revertedPayout()
	w.stopsAsset("USDT")
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 8, payment.Txid)
	require.NoError(t, err)
	outcome, why := n.Sender.Broadcast(t.Context(), payment.Raw) // another node has kept it
	require.Equal(t, chains.Accepted, outcome, why)
	w.work()
	w.mine("Ethereum", 6)
	w.equal("0", w.paidTo("Ethereum", destination))
	w.equal("100", w.balance("USDT").Available)
}

// stopsAsset has an operator stop an asset, and every process know it.
func (w *world) stopsAsset(asset string) {
	w.t.Helper()
	_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).StopAsset(w.t.Context(), asset, "", "a key is out")
	require.NoError(w.t, err)
	w.aged()
}
