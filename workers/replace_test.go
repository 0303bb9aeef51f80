package workers_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

func TestStuckPayoutIsSignedAgainOnTheSameNonce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	_, p := w.stuckPayout()
	w.work()
	signed, err := w.store.SignedOf(context.Background(), p.ID)
	require.NoError(t, err)
	require.Len(t, signed, 2)
	require.Equal(t, signed[0].Nonce, signed[1].Nonce)
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Equal(t, signed[1].Txid, *w.payoutNow(p.ID).Txid)
	w.equal("50", w.paidTo("Ethereum", destination))
}

// The age of a transaction goes by the database's clock, as its time of sending does. By this process's clock, days behind, no
// patience would end.
func TestPatienceGoesByTheDatabasesClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	for _, c := range []struct {
		sent string
		want time.Duration
	}{{"30 seconds", 30 * time.Second}, {"3 days", 72 * time.Hour}} {
		w.exec("update signed_transactions set sent_at = now() - ?::interval", c.sent)
		history, err := w.store.SignedOf(t.Context(), p.ID)
		require.NoError(t, err)
		open, err := w.store.OpenSigned(t.Context(), "Ethereum", 0, 10)
		require.NoError(t, err)
		require.InDelta(t, c.want, history[0].Sent, float64(20*time.Second))
		require.InDelta(t, c.want, open[0].Sent, float64(20*time.Second))
	}
}

func TestCancelledInTheMempoolIsRefundedAtFinality(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	_, err := w.store.CancelPayout(context.Background(), p.ID)
	require.NoError(t, err)
	_, err = w.db.NewRaw("insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?, now())", p.ID).Exec(context.Background())
	require.NoError(t, err)
	w.work()
	require.Equal(t, "pending", w.payoutNow(p.ID).Status.Public())
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.equal("100", w.balance("USDT").Available)
	w.equal("0", w.paidTo("Ethereum", destination))
}

// Covers operator §Admin: payout cancel takes effect
func TestTheReasonSaysWhoDecidedAgainstASignedPayout(t *testing.T) {
	t.Parallel()
	for by, reason := range map[string]string{"operator": "cancelled by the operator", "network": "the network did not carry it out"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			p := w.payout("Ethereum", "USDT", "50", destination)
			w.work()
			_, err := w.store.CancelPayout(t.Context(), p.ID)
			require.NoError(t, err)
			w.exec("insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?, now())", p.ID)
			w.work()
			w.exec("update payouts set cancelling = ?", by == "operator") // a nonce is taken without anybody's wish, too, when bytes are rejected
			w.mine("Ethereum", 5)
			require.Equal(t, reason, *w.payoutNow(p.ID).Reason)
			told := w.receiver.at("")
			require.Len(t, told, 1)
			require.Equal(t, "payment_failed", told[0].Event)
			require.Equal(t, reason, told[0].Data["reason"])
		})
	}
}

func TestCancelledTooLateIsCompleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	_, err := w.chain.Mine(context.Background(), "Ethereum", 1)
	require.NoError(t, err)
	w.cancels(p)
	w.work()
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Ethereum", destination))
	w.equal("48.5", w.balance("USDT").Available)
}

// Nothing is signed to cancel a transaction in a block, and whoever asks for it is told. Once the network undoes the block, it is
// cancelled.
//
// Covers operator §Admin: payout cancel takes effect
func TestWhatIsInABlockIsCancelledOnceThatIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, p := w.stuckPayout()
	well := n.Sender
	n.Sender = noneTaken{well}
	w.broadcasts(p) // a second one, unknown to every node
	n.Sender = well
	w.mineUnseen("Ethereum", 1)
	w.follow(t.Context())
	var mined struct {
		Txid   string
		Height int64
	}
	require.NoError(t, w.db.NewRaw("select txid, height from signed_transactions where state = 'mined'").Scan(t.Context(), &mined))
	told, err := (&admin.Admin{Store: w.store, Actor: "ann"}).CancelPayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("%s, which pays it, is in block %d of Ethereum: it is cancelled only if the network undoes that", mined.Txid,
		mined.Height), told.Note)
	w.work()
	require.Equal(t, 2, w.count("select count(*) from signed_transactions"))
	require.Zero(t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
	_, err = w.chain.Reorg(t.Context(), "Ethereum", 3, mined.Txid)
	require.NoError(t, err)
	w.work()
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.equal("0", w.paidTo("Ethereum", destination))
}
