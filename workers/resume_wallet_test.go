package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/pay"
)

// spends has somebody else with the key send 9 USDT elsewhere, at a nonce that was not given out.
func (w *world) spends(nonce uint64) {
	w.t.Helper()
	n, _ := w.registry.Network("Tron")
	draft, err := n.Sender.Prepare(w.t.Context(), chains.Order{To: elsewhere, Token: "USDT", Amount: dec("9")})
	require.NoError(w.t, err)
	other, err := draft.Sign(nonce)
	require.NoError(w.t, err)
	outcome, why := n.Sender.Broadcast(w.t.Context(), other.Raw)
	require.Equal(w.t, chains.Accepted, outcome, why)
}

// A spend pays the payout that has its nonce, and no older one that asks for the same: what was signed for that, which no node that is
// asked knows, was mined later as well, and the payout that was paid had nothing any more.
//
// Covers operator §Admin: wallet resume lets
func TestASpendPaysThePayoutOfItsNonce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	n, _ := w.registry.Network("Tron")
	well := n.Sender
	paid := w.payout("Tron", "USDT", "5", destination)
	w.round()
	by := w.foreign("5", destination, w.firstSigned(paid))
	n.Sender = noneTaken{well}
	older := w.payout("Tron", "USDT", "5", destination)
	w.round()
	require.EqualValues(t, 1, w.firstSigned(older).Nonce)
	w.exec("update payouts set created_at = created_at - interval '1 hour' where id = ?", older.ID) // it had waited for approval
	n.Sender = well
	w.spends(2)
	n.Sender = noneTaken{well}
	w.work()
	w.mine("Tron", 6)
	_, err := w.workers.ResumeWallet(t.Context(), "ops", "Tron", 0)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(paid.ID).Status)
	require.Equal(t, by, *w.payoutNow(paid.ID).Txid)
	require.Equal(t, "pending", w.payoutNow(older.ID).Status.Public())
	n.Sender = well
	w.aged()
	w.work()
	w.mine("Tron", 6)
	require.Equal(t, w.firstSigned(older).Txid, *w.payoutNow(older.ID).Txid)
	w.equal("10", w.paidTo("Tron", destination))
	w.nothingWaits(older, 1)
}
