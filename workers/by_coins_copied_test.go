package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/ledger"
)

// copied has these payouts share a transaction, of which somebody sends a copy under another id.
func (w *world) copied(amounts ...string) (ours string, payouts []*pay.Payout) {
	w.t.Helper()
	w.splitCoins()
	w.faults("Bitcoin", "broadcast", "copied")
	ours, payouts = w.batch(amounts...)
	w.faults("Bitcoin", "broadcast", "")
	return ours, payouts
}

// copyOf is the id of the copy of a transaction, once it was mined.
func (w *world) copyOf(ours string) (txid string) {
	w.t.Helper()
	require.NoError(w.t, w.db.NewRaw(`select c.txid from signed_transactions c join signed_transactions o
		on o.network = c.network and o.payout_id = c.payout_id and o.nonce = c.nonce and o.place = c.place
		where o.txid = ? and o.place = 0 and c.txid <> o.txid order by c.signed_at limit 1`, ours).Scan(w.t.Context(), &txid))
	return txid
}

// wantPaidOnce fails unless the payouts are completed by a transaction, and their recipients have their amounts once.
func (w *world) wantPaidOnce(txid string, payouts []*pay.Payout) {
	w.t.Helper()
	for _, p := range payouts {
		now := w.payoutNow(p.ID)
		require.Equal(w.t, pay.PayoutCompleted, now.Status, w.troubles())
		require.Equal(w.t, txid, *now.Txid)
		w.equal(p.Amount.String(), w.bitcoins(p.Wallet))
	}
	require.Equal(w.t, 1, w.count("select count(*) from entries where kind = 'gas_spent' and subject = ?", ledger.Gas("Bitcoin", txid)))
	require.Zero(w.t, w.count("select count(*) from coins where slot is not null and spent_by is null"))
}

// wantUnstopped fails if anything was taken for a stranger's.
func (w *world) wantUnstopped() {
	w.t.Helper()
	for _, table := range []string{"stopped_wallets", "foreign_spends", "unknown_spends", "moves_by_hand", "contrary_transactions"} {
		require.Zero(w.t, w.count("select count(*) from "+table), table)
	}
}

// A copy of a batch is mined under another id: it completes the payouts, once, under its own id.
//
// Covers operator §Settings: On Dogecoin, BitcoinCash, BitcoinSV and BitcoinGold anybody
func TestACopyCompletesItsPayouts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	ours, payouts := w.copied("2", "3", "4")
	w.mine("Bitcoin", 1)
	copied := w.copyOf(ours)
	require.Len(t, w.paidByCoins(copied), 3)
	w.mine("Bitcoin", 5)
	w.wantPaidOnce(copied, payouts)
	w.wantUnstopped()
	require.Equal(t, 3, w.count("select count(*) from signed_transactions where txid = ? and state = 'replaced'", ours))
	require.Equal(t, 3, w.count("select count(*) from deliveries where event = 'payment_processed' and convert_from(body, 'UTF8') like '%' || ? || '%'", copied))
	next := w.payout("Bitcoin", "BTC", "5", coinPayees[0])
	w.work()
	w.mine("Bitcoin", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(next.ID).Status, w.troubles())
}

// A copy is undone, and the original is mined after all.
func TestAnOriginalIsMinedAfterItsCopy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	ours, payouts := w.copied("2", "3")
	w.mine("Bitcoin", 1)
	copied := w.copyOf(ours)
	_, err := w.chain.Reorg(t.Context(), "Bitcoin", 1, copied)
	require.NoError(t, err)
	n, _ := w.registry.Network("Bitcoin")
	history, err := w.store.SignedOf(t.Context(), payouts[0].ID)
	require.NoError(t, err)
	for _, h := range history {
		if h.Txid == ours {
			outcome, reason := n.Sender.Broadcast(t.Context(), h.Raw)
			require.Equal(t, chains.Accepted, outcome, reason)
		}
	}
	w.putOff()
	w.mine("Bitcoin", 6)
	w.wantPaidOnce(ours, payouts)
	w.wantUnstopped()
	require.Equal(t, 2, w.count("select count(*) from signed_transactions where txid = ? and state = 'replaced'", copied))
}

// A copy is undone, and we send the original again.
func TestAnUndoneCopyIsSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	ours, payouts := w.copied("2", "3")
	w.mine("Bitcoin", 1)
	_, err := w.chain.Reorg(t.Context(), "Bitcoin", 1, w.copyOf(ours))
	require.NoError(t, err)
	w.work()
	w.work()
	w.mine("Bitcoin", 6)
	paid := *w.payoutNow(payouts[0].ID).Txid
	require.Equal(t, ours, paid, "nodes may refuse to pass a copy on")
	w.wantPaidOnce(paid, payouts)
	w.wantUnstopped()
}

// A transaction that was replaced is copied, and the copy is mined.
func TestACopyOfAReplacedTransactionEndsIt(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	first, payouts := w.batch("2", "3")
	w.cancels(payouts[0])
	w.work()
	history, err := w.store.SignedOf(t.Context(), payouts[1].ID)
	require.NoError(t, err)
	require.Len(t, history, 2, w.troubles())
	_, err = w.chain.Reorg(t.Context(), "Bitcoin", 1, history[1].Txid) // nobody has the replacement
	require.NoError(t, err)
	w.faults("Bitcoin", "broadcast", "copied")
	n, _ := w.registry.Network("Bitcoin")
	outcome, reason := n.Sender.Broadcast(t.Context(), history[0].Raw)
	require.Equal(t, chains.Accepted, outcome, reason)
	w.faults("Bitcoin", "broadcast", "")
	w.putOff()
	w.mine("Bitcoin", 1)
	copied := w.copyOf(first)
	require.Len(t, w.paidByCoins(copied), 2)
	w.mine("Bitcoin", 5)
	w.wantPaidOnce(copied, payouts)
	w.wantUnstopped()
}

// The first coin of a slot goes elsewhere: this is no copy, and the wallet stops.
//
// Covers operator §Settings: A copy spends the same coins
func TestAnotherPaymentIsNoCopy(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	w.faults("Bitcoin", "broadcast", "timeout")
	p := w.payout("Bitcoin", "BTC", "5", coinPayees[0])
	w.round()
	w.faults("Bitcoin", "broadcast", "")
	w.putOff()
	w.spendsCoins(coinPayees[1], "2", w.coinOf("slot is not null and place = 0 and spent_by is null")...)
	w.mineUnseen("Bitcoin", 5)
	w.work()
	require.Equal(t, 1, w.count("select count(*) from foreign_spends where resumed_at is null"))
	require.NotEqual(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// Restored books find a copy in the mempool, and stop the wallet. It goes on when the copy is in a block.
func TestACopyInABlockEndsItsStop(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	_, payouts := w.copied("2", "3")
	w.exec("update followers set run = 'before'")
	w.only(t.Context(), "wallets.check")
	require.Equal(t, 1, w.count("select count(*) from foreign_spends where resumed_at is null"))
	w.mine("Bitcoin", 8)
	for _, p := range payouts {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status, w.troubles())
	}
	w.only(t.Context(), "wallets.check")
	require.Zero(t, w.count("select count(*) from stopped_wallets"))
}
