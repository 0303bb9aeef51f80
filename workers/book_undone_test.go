package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// booked is a payout of 7 USDT whose nonce was taken, finally, by a transaction signed by somebody else and booked by an operator.
func (w *world) booked(amount, to string) (p *pay.Payout, txid string) {
	w.t.Helper()
	p, txid = taken(w, amount, to)
	w.mine("Ethereum", 5)
	_, err := w.by("ops").BookSpend(w.t.Context(), "Ethereum", txid)
	require.NoError(w.t, err)
	w.ended(p)
	return p, txid
}

// undoes has the network undo the booked transaction, and lose it.
func (w *world) undoes(txid string) {
	w.t.Helper()
	_, err := w.chain.Reorg(w.t.Context(), "Ethereum", 6, txid)
	require.NoError(w.t, err)
	w.follow(w.t.Context())
	require.Equal(w.t, 1, w.count("select count(*) from signed_transactions where open and nonce = 1"))
}

// A payout completed by a booked transaction is paid by its own once the network has undone the booked one.
//
// Covers operator §Admin: wallet book ends
func TestWhatWasPaidByABookedTransactionIsPaidAgainOnceThatIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, txid := w.booked("7", elsewhere)
	w.undoes(txid)
	require.Contains(t, w.troubles(), txid+" on Ethereum is in no block any more: what it had spent of the hot wallet, 7 USDT, is booked.")
	w.work()
	w.mine("Ethereum", 6)
	w.equal("7", w.paidTo("Ethereum", elsewhere))
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.NotEqual(t, txid, *w.payoutNow(p.ID).Txid)
	w.nothingWaits(p, 1)
	require.Empty(t, w.troubles())
}

// A payout refunded by a booked transaction is not paid by its own once the network has undone the booked one: a cancellation takes
// its nonce. A person is told of the booked one.
//
// Covers operator §Admin: wallet book ends
func TestWhatWasRefundedByABookedTransactionIsCancelledOnceThatIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	p, txid := w.booked("30", destination)
	w.undoes(txid)
	w.work()
	w.mine("Ethereum", 6)
	w.equal("0", w.paidTo("Ethereum", elsewhere))
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.nothingWaits(p, 2)
	require.Contains(t, w.troubles(), txid+" on Ethereum is in no block any more: what it had spent of the hot wallet, 30 USDT, is booked.")
	w.reconcile()
	require.Equal(t, []string{"the ledger equals what our addresses hold"}, w.reported()) // 30 USDT, and no fee
	n, _ := w.registry.Network("Ethereum")
	node := n.Watcher
	n.Watcher = saysOf{node, chains.TxStatus{State: chains.TxPending}}
	_, err := w.by("ann").DismissSpend(t.Context(), "Ethereum", txid) // a payout to its recipient waits for it
	require.ErrorContains(t, err, "is in the mempool of Ethereum: it may still be mined")
	n.Watcher = node
	_, err = w.by("ann").DismissSpend(t.Context(), "Ethereum", txid)
	require.NoError(t, err)
	require.NotContains(t, w.troubles(), txid)
	again := w.payout("Ethereum", "USDT", "30", destination)
	_, err = w.by("ops").AssignSpend(t.Context(), "Ethereum", txid, &again.ID, dec("0"))
	require.ErrorContains(t, err, "no open spend")
	_, err = w.by("ann").DismissSpend(t.Context(), "Ethereum", txid)
	require.ErrorContains(t, err, "is undone")
	require.Equal(t, 1, w.count("select count(*) from audit where action = 'wallet.dismiss' and actor = 'ann'"))
}

// The network mines the payout's own transaction instead, kept by another node: a person is told of a payment beside the refund.
//
// Covers operator §Admin: wallet book ends
func TestAPaymentThatIsMinedInsteadOfABookedTransactionIsTold(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	p, txid := w.booked("30", destination)
	signed, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	w.undoes(txid)
	n, _ := w.registry.Network("Ethereum")
	outcome, why := n.Sender.Broadcast(t.Context(), signed[0].Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	w.minesAndFollows("Ethereum", 1) // before a cancellation is signed
	w.mine("Ethereum", 10)
	w.equal("7", w.paidTo("Ethereum", elsewhere))
	w.nothingWaits(p, 1)
	require.Contains(t, w.troubles(), "Payout "+p.ID.String()+" is refunded, and its network has paid it after all")
	require.Contains(t, w.troubles(), txid+" on Ethereum is in no block any more")
}

// A booked transaction is mined again after the network has undone it: an operator books it again, and nothing else changes.
//
// Covers operator §Admin: wallet book ends
func TestABookedTransactionIsBookedAgainOnceItIsMinedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		amount, to string
		ends       pay.PayoutStatus
		signed     int
	}{
		"refunded":  {"30", destination, pay.PayoutRefunded, 2}, // a cancellation as well
		"completed": {"7", elsewhere, pay.PayoutCompleted, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			p, txid := w.booked(c.amount, c.to)
			told := w.receiver.got()
			_, err := w.chain.Reorg(t.Context(), "Ethereum", 6)
			require.NoError(t, err)
			w.follow(t.Context())
			require.Contains(t, w.troubles(), txid+" on Ethereum is in no block any more")
			w.mineUnseen("Ethereum", 1)
			w.mine("Ethereum", 8)
			require.NotContains(t, w.troubles(), "in no block any more")
			b, err := w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
			require.NoError(t, err)
			require.Equal(t, c.ends, b.Status)
			w.nothingWaits(p, c.signed)
			require.Equal(t, c.ends, w.payoutNow(p.ID).Status)
			require.Equal(t, told, w.receiver.got())
			require.Empty(t, w.troubles())
		})
	}
}

// A movement in an undone block, missing where its transaction is now, has paid nothing, whatever was decided on it.
//
// Covers operator §Admin: wallet book ends
func TestWhatATransactionMovesNoMoreIsNotBookedWithIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, txid := taken(w, "7", elsewhere)
	w.mine("Ethereum", 5)
	const undone = 99
	w.exec(`insert into unknown_spends (network, txid, token, position, recipient, memo, amount, height, decision, undone_at)
		select network, txid, token, ?, recipient, memo, amount, height - 1, 'lost', now() from unknown_spends where txid = ?`, undone, txid)
	b, err := w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutCompleted, b.Status)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	spends, err := w.store.SpendsOf(t.Context(), "Ethereum", txid)
	require.NoError(t, err)
	require.Len(t, spends, 2)
	for _, s := range spends {
		want := store.SpendPaid
		if s.Position == undone {
			want = store.SpendLost
		}
		require.Equal(t, &want, s.Decision, "at %d", s.Position)
	}
}
