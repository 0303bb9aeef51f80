package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/ledger"
)

// A follower far behind knows from the node that a payout is final, but not whether its block will still be there when it is
// followed.
func TestPayoutIsSettledInFollowedBlocksOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	ctx := context.Background()
	_, err := w.chain.Mine(ctx, "Ethereum", 250)
	require.NoError(t, err)
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.round()
	_, err = w.chain.Mine(ctx, "Ethereum", 5)
	require.NoError(t, err)
	w.round()
	require.Equal(t, "pending", w.payoutNow(p.ID).Status.Public())
	w.reconciles()
	_, err = w.chain.Reorg(ctx, "Ethereum", 6, *w.payoutNow(p.ID).Txid)
	require.NoError(t, err)
	w.equal("0", w.paidTo("Ethereum", destination))
	w.work()
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Ethereum", destination))
}

// A payout stopped too late by the operator stays paid, whatever the chain does afterwards.
func TestCompletedPayoutIsSentAgainThoughCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	ctx := context.Background()
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	_, err := w.chain.Mine(ctx, "Ethereum", 1)
	require.NoError(t, err)
	_, err = w.store.CancelPayout(ctx, p.ID)
	require.NoError(t, err)
	w.mine("Ethereum", 5)
	done := w.payoutNow(p.ID)
	require.Equal(t, pay.PayoutCompleted, done.Status)
	_, err = w.chain.Reorg(ctx, "Ethereum", 8, *done.Txid)
	require.NoError(t, err)
	w.work()
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Ethereum", destination))
	require.Equal(t, []string{"payment_processed:success"}, w.receiver.got())
}

// Between the reorganisation taking a settled payout out of its block and the block with it again, the books are ahead of the chain
// and nothing is wrong.
func TestBooksFitWhileASettledPayoutIsOutOfItsBlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	ctx := context.Background()
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	w.mine("Ethereum", 5)
	w.faults("Ethereum", "broadcast", "down")
	_, err := w.chain.Reorg(ctx, "Ethereum", 7, *w.payoutNow(p.ID).Txid)
	require.NoError(t, err)
	w.work()
	w.equal("0", w.paidTo("Ethereum", destination))
	w.reconciles()
	w.faults("Ethereum", "broadcast", "")
	w.work()
	w.mine("Ethereum", 1)
	w.reconciles()
	w.mine("Ethereum", 4)
	w.equal("50", w.paidTo("Ethereum", destination))
}

// Carrying out a settled payout once more may cost something else. The follower goes on, and reconciliation says how much the books
// lack.
func TestASettledPayoutCostsSomethingElseTheSecondTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	w.mine("Ethereum", 5)
	done := w.payoutNow(p.ID)
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 7, *done.Txid)
	require.NoError(t, err)
	w.work()
	w.exec("update sandbox_transactions set fee = fee + 1 where txid = ?", *done.Txid)
	w.exec("update sandbox_holdings set amount = amount - 1 where token = 'ETH' and address = (select sender_match from sandbox_transactions where txid = ?)", *done.Txid)
	w.mine("Ethereum", 5)
	require.Zero(t, w.count("select count(*) from jobs where kind = 'network.follow' and last_error is not null"))
	w.equal("50", w.paidTo("Ethereum", destination))
	w.reconcile()
	require.Equal(t, []string{"the ledger equals what our addresses hold"}, w.reported())
	_, err = ledger.Post(t.Context(), w.db, ledger.TreasuryCorrected("Ethereum", "ETH", "dearer", dec("-1")))
	require.NoError(t, err)
}

// takesNothing is a network that takes nothing: the funding of the wallet is undone as well, say.
type takesNothing struct{ chains.Sender }

func (takesNothing) Broadcast(context.Context, []byte) (chains.Outcome, string) {
	return chains.NotTaken, "insufficient funds for gas * price + value"
}

// A completed payout, undone by its network and not carried out again, is shown to a person; they can have it sent again: its
// merchant was told of the payment.
func TestACompletedPayoutThatIsNotPaidAnyMoreIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	w.mine("Ethereum", 5)
	done := w.payoutNow(p.ID)
	require.Equal(t, pay.PayoutCompleted, done.Status)
	a := &admin.Admin{Store: w.store, Actor: "ann"}
	_, err := a.RetryPayout(t.Context(), p.ID.String())
	require.ErrorContains(t, err, "there is nothing to try again")
	n, _ := w.registry.Network("Ethereum")
	well := n.Sender
	n.Sender = takesNothing{well}
	_, err = w.chain.Reorg(t.Context(), "Ethereum", 7, *done.Txid)
	require.NoError(t, err)
	w.work()
	w.exec("update signed_transactions set signed_at = now() - interval '1 day', sent_at = now() - interval '1 day'")
	w.equal("0", w.paidTo("Ethereum", destination))
	h, err := a.Health(t.Context())
	require.NoError(t, err)
	require.Len(t, h.Untaken, 1)
	require.Equal(t, p.ID, h.Untaken[0].Oldest)
	require.Contains(t, h.Untaken[0].Reason, "insufficient funds")
	n.Sender = well
	_, err = a.RetryPayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	w.broadcast(p.ID)
	w.mine("Ethereum", 6)
	w.equal("50", w.paidTo("Ethereum", destination))
	h, err = a.Health(t.Context())
	require.NoError(t, err)
	require.Empty(t, h.Untaken)
}

// undoneAndDear has the network undo a payout's end, an hour after its transaction was sent, and take nothing any more for the fee
// signed then.
func (w *world) undoneAndDear(n *chains.Network, gone string) {
	w.t.Helper()
	w.later("1 hour")
	n.BumpAfter = time.Minute
	n.Sender = &minimum{n.Sender, dec("0.0004")}
	_, err := w.chain.Reorg(w.t.Context(), "Ethereum", 8, gone)
	require.NoError(w.t, err)
	w.work()
}

// The transaction that ended a payout is signed again on its nonce, dearer, when its network has undone it and does not take it for
// its fee: all later payouts of the hot wallet wait behind it. It is sent as it was at first.
//
// Covers addendum §7: A payout that has ended keeps
func TestWhatHadEndedAPayoutIsSignedAgainForItsFee(t *testing.T) {
	t.Parallel()
	for end, c := range map[pay.PayoutStatus]struct {
		purpose, paid string
		notice        string
	}{
		pay.PayoutCompleted: {pay.PurposePay, "50", "payment_processed:success"},
		pay.PayoutRefunded:  {pay.PurposeCancel, "0", "payment_failed:failed"},
	} {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			n, _ := w.registry.Network("Ethereum")
			p := w.payout("Ethereum", "USDT", "50", destination)
			w.work()
			if end == pay.PayoutRefunded {
				w.cancels(p)
				w.work()
			}
			w.mine("Ethereum", 6)
			require.Equal(t, end, w.payoutNow(p.ID).Status)
			before, err := w.store.SignedOf(t.Context(), p.ID)
			require.NoError(t, err)
			w.undoneAndDear(n, before[len(before)-1].Txid)
			after, err := w.store.SignedOf(t.Context(), p.ID)
			require.NoError(t, err)
			require.Len(t, after, len(before))
			for range 4 {
				w.later("2 minutes")
				w.round()
			}
			w.mine("Ethereum", 8)
			require.Equal(t, end, w.payoutNow(p.ID).Status)
			require.Equal(t, 1, w.count("select count(distinct nonce) from signed_transactions"))
			require.Equal(t, 1, w.count("select count(*) from signed_transactions where state = 'final' and purpose = ? and fee >= 0.0004",
				c.purpose))
			require.Zero(t, w.count("select count(*) from signed_transactions where open"))
			require.Zero(t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
			if end == pay.PayoutCompleted {
				require.Equal(t, 1, w.count("select count(*) from signed_transactions where state = 'final' and txid = ?", *w.payoutNow(p.ID).Txid))
			}
			w.equal(c.paid, w.paidTo("Ethereum", destination))
			require.Equal(t, []string{c.notice}, w.receiver.got())
			require.Empty(t, w.troubles())
			w.reconciles()
		})
	}
}

// Nothing is signed for an undone payout ending again while the node is asked for a higher fee.
func TestWhatEndsAgainMeanwhileIsNotReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n, _ := w.registry.Network("Ethereum")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	w.mine("Ethereum", 6)
	well := n.Sender
	w.undoneAndDear(n, *w.payoutNow(p.ID).Txid)
	signed, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	w.later("2 minutes")
	asked := false
	n.Sender = slowToBump{well, func() {
		asked = true
		outcome, why := well.Broadcast(t.Context(), signed[0].Raw)
		require.Equal(t, chains.Accepted, outcome, why)
		for range 8 {
			w.mineUnseen("Ethereum", 1)
			w.follow(t.Context())
		}
		require.Equal(t, 1, w.count("select count(*) from signed_transactions where state = 'final'"))
	}}
	w.broadcast(p.ID)
	require.True(t, asked)
	w.work()
	require.Equal(t, 1, w.count("select count(*) from signed_transactions"))
	require.Zero(t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
}
