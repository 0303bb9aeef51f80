package workers_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// noneTaken is a node losing everything it is sent.
type noneTaken struct{ chains.Sender }

func (noneTaken) Broadcast(context.Context, []byte) (chains.Outcome, string) {
	return chains.Unknown, "timed out"
}

// withTwins returns a payout completed by its first transaction. Another one has its nonce, and no node has this yet: a payment at a
// higher fee, or a cancellation.
func (w *world) withTwins(cancels bool) (*chains.Network, *pay.Payout, []pay.SignedTransaction) {
	w.t.Helper()
	n, p := w.stuckPayout()
	well := n.Sender
	n.Sender = noneTaken{well}
	if cancels {
		w.cancels(p)
	}
	w.broadcast(p.ID)
	signed, err := w.store.SignedOf(w.t.Context(), p.ID)
	require.NoError(w.t, err)
	require.Len(w.t, signed, 2)
	w.mineUnseen("Ethereum", 1)
	w.mine("Ethereum", 6)
	require.Equal(w.t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	n.Sender = well
	return n, p, signed
}

// minedInstead has the network undo a final transaction, forget it, and mine another of its nonce, kept by a node.
func (w *world) minedInstead(n *chains.Network, depth int, gone, instead *pay.SignedTransaction) {
	w.t.Helper()
	_, err := w.chain.Reorg(w.t.Context(), "Ethereum", depth, gone.Txid)
	require.NoError(w.t, err)
	outcome, why := n.Sender.Broadcast(w.t.Context(), instead.Raw)
	require.Equal(w.t, chains.Accepted, outcome, why)
	well := n.Sender
	n.Sender = noneTaken{well}
	w.work()
	w.reconciles() // the books are ahead of the chain, and nothing is wrong
	w.mine("Ethereum", 1)
	w.reconciles()
	n.Sender = well
	w.mine("Ethereum", 10)
	w.exec("update signed_transactions set signed_at = now() - interval '1 day', sent_at = now() - interval '1 day'")
	w.work()
}

// troubles are the overview's sentences for a person.
func (w *world) troubles() string {
	w.t.Helper()
	h, err := (&admin.Admin{Store: w.store}).Health(w.t.Context())
	require.NoError(w.t, err)
	var all []string
	for _, trouble := range h.Troubles() {
		all = append(all, trouble.What+" "+trouble.Do)
	}
	return strings.Join(all, "\n")
}

// The network mines the other one of two payments of a nonce after it has undone the first, final before: the other pays now,
// whichever it is, the books have its cost, and nothing waits for the first.
//
// Covers addendum §7: A payout that has ended keeps
func TestTheReplacementIsMinedAfterWhatItReplacesWasUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, p, signed := w.withTwins(false)
	for _, turn := range []struct{ depth, gone, by int }{{8, 0, 1}, {12, 1, 0}, {12, 0, 1}} {
		w.minedInstead(n, turn.depth, &signed[turn.gone], &signed[turn.by])
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
		require.Equal(t, signed[turn.by].Txid, *w.payoutNow(p.ID).Txid)
		w.equal("50", w.paidTo("Ethereum", destination))
		w.reconciles()
		require.Zero(t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
		require.Zero(t, w.count("select count(*) from signed_transactions where open"))
		require.Empty(t, w.troubles())
	}
	require.Equal(t, []string{"payment_processed:success"}, w.receiver.got())
}

// The merchant was told of a paid payout, and a cancellation sent too late takes its nonce on the network: a person is told.
//
// Covers addendum §7: A payout that has ended keeps
func TestTheCancellationIsMinedAfterThePaymentWasUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, p, signed := w.withTwins(true)
	w.minedInstead(n, 8, &signed[0], &signed[1])
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Equal(t, signed[0].Txid, *w.payoutNow(p.ID).Txid)
	w.equal("0", w.paidTo("Ethereum", destination))
	require.Contains(t, w.troubles(), "Payout "+p.ID.String()+" is completed, and its network has not paid it after all: what had ended it was undone, and "+
		signed[1].Txid+" on Ethereum is final.")
	w.reconcile()
	require.Equal(t, []string{"the ledger equals what our addresses hold"}, w.reported()) // a surplus by the missing payment
	require.Zero(t, w.count("select count(*) from stopped_assets"))

	_, err := w.chain.Reorg(t.Context(), "Ethereum", 12, signed[1].Txid)
	require.NoError(t, err)
	w.work()
	w.mine("Ethereum", 6) // the payment goes out again, and fits
	w.equal("50", w.paidTo("Ethereum", destination))
	require.NotContains(t, w.troubles(), p.ID.String())
	w.reconciles()
}

// The other way round: the cancellation was final, the payout refunded, and then its payment is mined.
//
// Covers addendum §7: A payout that has ended keeps
func TestThePaymentIsMinedAfterItsCancellationWasUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, p := w.stuckPayout()
	w.cancels(p)
	w.work()
	signed, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, signed, 2)
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.minedInstead(n, 8, &signed[1], &signed[0])
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Ethereum", destination))
	w.equal("100", w.balance("USDT").Available)
	require.Contains(t, w.troubles(), "Payout "+p.ID.String()+" is refunded, and its network has paid it after all: what had ended it was undone, and "+
		signed[0].Txid+" on Ethereum is final.")
	w.reconcile()
	require.Equal(t, 1, w.count("select count(*) from stopped_assets where asset = 'USDT'"))

	a := &admin.Admin{Store: w.store, Actor: "ann"} // as docs/runbook.md has a person do
	_, err = a.CorrectTreasury(t.Context(), admin.NewCorrection{Network: "Ethereum", Asset: "USDT", Amount: "-50", Reason: "refunded and paid"})
	require.NoError(t, err)
	w.reconcile()
	_, err = a.ResumeAsset(t.Context(), "USDT", "")
	require.NoError(t, err)
}

// After a reorganisation the transaction with the payout's former outcome goes out again, though another was signed later, or is
// dearer: never the cancellation of a completed payout, nor the payment of a refunded one.
//
// Covers addendum §7: A payout that has ended keeps
func TestWhatEndsAPayoutAsItHadEndedIsSentAgain(t *testing.T) {
	t.Parallel()
	for name, cancels := range map[string]bool{"completed": false, "completed and to be cancelled": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			_, p, signed := w.withTwins(cancels)
			_, err := w.chain.Reorg(t.Context(), "Ethereum", 8, signed[0].Txid)
			require.NoError(t, err)
			w.work()
			w.mine("Ethereum", 6)
			require.Zero(t, w.count("select count(*) from sandbox_transactions where txid = ?", signed[1].Txid))
			w.equal("50", w.paidTo("Ethereum", destination))
			require.Equal(t, signed[0].Txid, *w.payoutNow(p.ID).Txid)
			require.Empty(t, w.troubles())
		})
	}
	t.Run("refunded", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "Ethereum")
		_, p := w.stuckPayout()
		w.cancels(p)
		w.work()
		w.mine("Ethereum", 6)
		signed, err := w.store.SignedOf(t.Context(), p.ID)
		require.NoError(t, err)
		w.exec("update signed_transactions set signed_at = signed_at + interval '1 hour' where txid = ?", signed[0].Txid) // the payment is the newest
		_, err = w.chain.Reorg(t.Context(), "Ethereum", 8, signed[1].Txid)
		require.NoError(t, err)
		w.work()
		w.mine("Ethereum", 6)
		require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
		w.equal("0", w.paidTo("Ethereum", destination))
		require.Empty(t, w.troubles())
	})
}

// revertingHere says of everything in a block: it moved nothing.
type revertingHere struct{ chains.Watcher }

func (r revertingHere) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := r.Watcher.Status(ctx, txids)
	for txid, now := range all {
		if now.State == chains.TxMined {
			now.State = chains.TxReverted
			all[txid] = now
		}
	}
	return all, err
}

// revertedPayout is a payout of 50, refunded since its payment was mined and reverted; by now the payment would pay.
func (w *world) revertedPayout() (*pay.Payout, pay.SignedTransaction) {
	w.t.Helper()
	w.fund("Ethereum", "USDT", "100")
	n, _ := w.registry.Network("Ethereum")
	p := w.payout("Ethereum", "USDT", "50", destination)
	sees := n.Watcher
	n.Watcher = revertingHere{sees}
	w.work()
	w.mine("Ethereum", 6)
	n.Watcher = sees
	require.Equal(w.t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	return p, w.firstSigned(p)
}

// A reverted payment would pay beside the refund once the cause of its reverting is gone: a cancellation takes its nonce.
//
// Covers addendum §7: A payout that has ended keeps
func TestAPaymentThatHadRevertedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, payment := w.revertedPayout()
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 8, payment.Txid)
	require.NoError(t, err)
	w.work()
	w.mine("Ethereum", 10)
	w.equal("0", w.paidTo("Ethereum", destination))
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	require.Empty(t, w.troubles())
	require.Zero(t, w.count("select count(*) from signed_transactions where open"))
	w.reconciles()
}
