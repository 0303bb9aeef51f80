package workers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// Books of another server lack a sent transaction. Its payout is not paid again with another coin.
func TestBooksOfAnotherServerLookThroughTheMempool(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	p := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.round()
	history, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, history, 1)
	// the books as they were before the last commit
	w.exec("delete from signed_transactions where payout_id = ?", p.ID)
	w.exec("update payouts set status = 'queued', txid = null where id = ?", p.ID)
	w.exec("update coins set slot = null where slot = ?", history[0].Nonce)
	w.exec("update signing_nonces set next = next - 1")
	w.exec("update followers set run = 'another'")
	w.exec("insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?, now() + interval '1 day')", p.ID)
	w.workers = w.another()
	w.exec("delete from jobs where kind = 'payout.broadcast' and ref = ?", p.ID) // it comes after the other
	other := w.payout("Bitcoin", "BTC", "3", coinPayees[1])
	w.round()
	w.exec("insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?, now())", p.ID)
	w.round()
	w.mine("Bitcoin", 5)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(other.ID).Status) // the wallet waits for a person
	require.Equal(t, 1, w.count("select count(*) from foreign_spends"))
	w.equal("2", w.bitcoins(coinPayees[0]))
}

// Of two transactions of a slot, the other may be mined after a reorganisation. The change of the first would be gone.
func TestChangeWithATwinIsSpentWhenItIsFinal(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	n, _ := w.registry.Network("Bitcoin")
	w.exec("update coins set slot = 1000000 where slot is null and spent_by is null and id <> (select min(id) from coins where slot is null and spent_by is null)")
	a := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.work()
	n.BumpAfter = time.Minute
	w.exec("update signed_transactions set sent_at = now() - interval '2 minutes' where state = 'sent'")
	w.work()
	n.BumpAfter = 0
	history, err := w.store.SignedOf(t.Context(), a.ID)
	require.NoError(t, err)
	require.Len(t, history, 2)
	w.mine("Bitcoin", 1) // the second, with its change
	b := w.payout("Bitcoin", "BTC", "3", coinPayees[1])
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(b.ID).Status) // for a final coin
	_, err = w.chain.Reorg(t.Context(), "Bitcoin", 1, history[1].Txid)
	require.NoError(t, err)
	outcome, reason := n.Sender.Broadcast(t.Context(), history[0].Raw)
	require.Equal(t, chains.Accepted, outcome, reason)
	w.mine("Bitcoin", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(a.ID).Status)
	w.exec("update coins set slot = null where slot = 1000000")
	w.mine("Bitcoin", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(b.ID).Status, w.troubles())
}
