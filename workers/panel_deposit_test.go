package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/ledger"
)

// Money that comes to a deposit of the panel, in time or late, or to a fixed wallet of the panel, tells no webhook, and its movements are
// the panel's alone. So is what a reorganisation takes back.
//
// Covers addendum §10: Movements of withdrawals
func TestDepositsOfThePanelTellNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Litecoin")
	p, late := w.payin("Litecoin", "LTC", "1"), w.payin("Litecoin", "LTC", "0.5")
	wallet := w.wallet("Litecoin", "till")
	w.exec("update payins set key_id = 'panel:ann@example.com', webhook_url = ''")
	w.exec("update wallets set origin = 'panel'")
	w.exec("update merchants set wallets_webhook_url = ?", w.receiver.URL)
	w.exec("update payins set status = 'failed', expires_at = now() - interval '1 minute', created_at = now() - interval '1 hour' where id = ?", late.ID)
	sent := []string{w.pays("Litecoin", "LTC", p.Wallet, "1"), w.pays("Litecoin", "LTC", late.Wallet, "0.5"), w.pays("Litecoin", "LTC", wallet.Wallet, "0.7")}
	w.mine("Litecoin", 4)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.Equal(t, "panel:", w.payinsOf(wallet)[0].KeyID)
	_, err := w.chain.Reorg(t.Context(), "Litecoin", 6, sent...)
	require.NoError(t, err)
	w.work()
	w.mine("Litecoin", 4)
	require.Empty(t, w.receiver.got())
	seen := func(panel bool) (kinds map[string]int) {
		kinds = map[string]int{}
		rows, err := ledger.MovementsBelow(t.Context(), w.store.Q, ledger.StatementFilter{Merchant: w.merchant, Panel: panel}, nil, 100)
		require.NoError(t, err)
		for _, r := range rows {
			kinds[string(r.Movement)]++
		}
		return kinds
	}
	require.Empty(t, seen(false), "the API shows no movement")
	require.Equal(t, 3, seen(true)["DEPOSIT"])
	require.Equal(t, 3, seen(true)["DEPOSIT_REVERSAL"])
	require.Equal(t, pay.PayinReversed, w.payinNow(p.ID).Status)
}
