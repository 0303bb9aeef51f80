package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// Anybody can send dust to a deposit address unseen: it is reported, and payouts go on, of the coin everywhere. An asset stopped for
// another reason can be resumed meanwhile.
//
// Covers operator §Admin: What a network holds beyond the books
func TestASurplusStopsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum", "Base")
	p := w.payin("Base", "ETH", "0.01")
	w.pays("Base", "ETH", p.Wallet, "0.01")
	w.fund("Ethereum", "ETH", "5")
	n, _ := w.registry.Network("Base")
	const dust = `update sandbox_holdings set amount = amount + ? where network = 'Base' and token = 'ETH' and address = ?`
	w.mine("Base", 4)
	w.exec(dust, dec("0.000000000000000001"), n.Addresser.Match(p.Wallet))

	w.reconcile()
	found, err := w.store.LastReport(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.True(t, found[0].Surplus)
	require.Equal(t, "Base", found[0].Where)
	a := &admin.Admin{Store: w.store, Actor: "ops"}
	h, err := a.Health(t.Context())
	require.NoError(t, err)
	require.Len(t, h.Troubles(), 1)
	require.Contains(t, h.Troubles()[0].What, "a network holds more than the books say")

	_, err = a.StopAsset(t.Context(), "ETH", "", "something else")
	require.NoError(t, err)
	_, err = a.ResumeAsset(t.Context(), "ETH", "")
	require.NoError(t, err)
	o := w.payout("Ethereum", "ETH", "1", "0x713b5b91dc828a57ea7d9097a2f6e0bf5c1fea08")
	w.aged()
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(o.ID).Status)
	w.mine("Ethereum", 12)

	w.exec(dust, dec("-0.000000000000000002"), n.Addresser.Match(p.Wallet)) // now something is missing
	w.reconcile()
	stopped, err := w.store.StoppedAssets(t.Context())
	require.NoError(t, err)
	require.Len(t, stopped, 1)
	w.exec(dust, dec("0.000000000000000001"), n.Addresser.Match(p.Wallet))
}
