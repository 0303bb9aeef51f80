package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/pay"
)

// A spend explains its own nonce and no other: neither one that took a nonce of ours, nor one that came after the wallet was
// looked at, stands for a transaction that nobody has seen yet and that may have paid what waits here.
//
// Covers operator §Admin: wallet resume lets
func TestASpendExplainsItsOwnNonce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	taken, txid := taken(w, "30", destination)
	w.mine("Tron", 5)
	n, _ := w.registry.Network("Tron")
	draft, err := n.Sender.Prepare(t.Context(), chains.Order{To: elsewhere, Token: "USDT", Amount: dec("9")})
	require.NoError(t, err)
	next, err := n.Sender.NextNonce(t.Context())
	require.NoError(t, err)
	other, err := draft.Sign(next)
	require.NoError(t, err)
	outcome, why := n.Sender.Broadcast(t.Context(), other.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	w.work()
	refused := func(says string) {
		t.Helper()
		_, err := w.workers.ResumeWallet(t.Context(), "ops", "Tron", 0)
		require.ErrorContains(t, err, says)
	}
	refused("1 nonces are not explained")
	w.mine("Tron", 5)
	w.exec("update stopped_wallets set chain = chain - 1") // as it was before the wallet was looked at again
	refused("transaction " + other.Txid + " has nonce 2, and the wallet was not seen to have used it")
	w.work()
	report, err := w.workers.ResumeWallet(t.Context(), "ops", "Tron", 0)
	require.NoError(t, err)
	require.Len(t, report.Unknown, 2)
	_, err = w.workers.BookSpend(t.Context(), "ops", "Tron", txid)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(taken.ID).Status)
}
