package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// Coin is missing on Ethereum. Payouts of it there wait, and those on Base go on. An operator ends the stop of the one network, once
// nothing differs there.
//
// Covers operator §Admin: A difference of one network stops the asset
// Covers operator §Admin: With `--network`, `asset stop` and `asset resume`
func TestAStopIsOfOneNetwork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum", "Base")
	w.fund("Ethereum", "ETH", "20")
	w.fund("Base", "ETH", "20")
	n, _ := w.registry.Network("Ethereum")
	missing := func(amount string) {
		w.exec("update sandbox_holdings set amount = amount - ? where network = 'Ethereum' and token = 'ETH' and address = ?", dec(amount), n.Hot)
	}
	missing("0.5")
	w.reconcile()
	require.Equal(t, 1, w.count("select count(*) from stopped_assets where asset = 'ETH' and network = 'Ethereum'"))
	require.Equal(t, 1, w.count("select count(*) from stopped_assets"))

	here := w.payout("Ethereum", "ETH", "1", "0x713b5b91dc828a57ea7d9097a2f6e0bf5c1fea08")
	there := w.payout("Base", "ETH", "1", "0x713b5b91dc828a57ea7d9097a2f6e0bf5c1fea08")
	w.aged()
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(here.ID).Status)
	require.Contains(t, w.troubled(here), "payouts of ETH on Ethereum are stopped")
	require.Equal(t, pay.PayoutSent, w.payoutNow(there.ID).Status)

	ops := &admin.Admin{Store: w.store, Actor: "ops"}
	health, err := ops.Health(t.Context())
	require.NoError(t, err)
	require.Contains(t, health.Troubles(), admin.Trouble{Page: "reconcile", Do: "causeway admin asset resume ETH --network Ethereum",
		What: "Payouts of ETH on Ethereum are stopped: " + w.stopReason("ETH") + "."})
	_, err = ops.ResumeAsset(t.Context(), "ETH", "Ethereum")
	require.ErrorContains(t, err, "found 1 difference of ETH on Ethereum")
	_, err = ops.ResumeAsset(t.Context(), "ETH", "Base")
	require.ErrorContains(t, err, "payouts of ETH on Base are not stopped")
	_, err = ops.StopAsset(t.Context(), "ETH", "Tron", "no such thing")
	require.ErrorContains(t, err, `there is no ETH on a network "Tron"`)

	_, err = ops.StopAsset(t.Context(), "ETH", "Base", "a look")
	require.NoError(t, err)
	asset, err := ops.ResumeAsset(t.Context(), "ETH", "Base")
	require.NoError(t, err)
	require.Len(t, asset.Stops, 1)

	missing("-0.5")
	w.reconcile()
	asset, err = ops.ResumeAsset(t.Context(), "ETH", "Ethereum")
	require.NoError(t, err)
	require.False(t, asset.Stopped)
	w.aged()
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(here.ID).Status)
	w.mine("Ethereum", 20)
	w.mine("Base", 20)
}
