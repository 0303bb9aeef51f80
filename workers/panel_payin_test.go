package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/ledger"
)

// What a payin of the panel receives, and loses again, is in the merchant's own statement, and in none of the API.
//
// Covers addendum §10: Movements of withdrawals and deposits in the panel
func TestMovementsOfAPanelsPayin(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, "Litecoin")
	p := w.payin("Litecoin", "LTC", "1", func(p *pay.Payin) {
		p.KeyID, p.WebhookURL, p.PercentRate = pay.PanelKey("ann@example.com"), "", dec("1")
	})
	lost := w.pays("Litecoin", "LTC", p.Wallet, "1")
	w.mine("Litecoin", 4)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	_, err := w.chain.Reorg(ctx, "Litecoin", 6, lost)
	require.NoError(t, err)
	w.work()
	w.mine("Litecoin", 4)
	require.Equal(t, pay.PayinReversed, w.payinNow(p.ID).Status)
	require.Empty(t, w.receiver.got())
	for panel, want := range map[bool][]ledger.Movement{true: {ledger.DepositReversal, ledger.Rate, ledger.Deposit}, false: nil} {
		rows, err := ledger.MovementsBelow(ctx, w.store.Q, ledger.StatementFilter{Merchant: w.merchant, Panel: panel}, nil, 100)
		require.NoError(t, err)
		var got []ledger.Movement
		for i := range rows {
			got = append(got, rows[i].Movement)
		}
		require.ElementsMatch(t, want, got)
	}
}
