package workers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/tasks"
)

const tronPayee = "TNDFkUNA2TukukC1Moeqj61pAS53NFchGF"

// unsent has a payout of 50 USDT on Tron whose transaction is signed, and which no node of the network has got.
func (w *world) unsent() *pay.Payout {
	w.t.Helper()
	w.fund("Tron", "USDT", "100")
	w.faults("Tron", "broadcast", "timeout")
	p := w.payout("Tron", "USDT", "50", tronPayee)
	w.work()
	require.Equal(w.t, pay.PayoutSigned, w.payoutNow(p.ID).Status)
	return p
}

// signedFor are the states of the transactions signed for a payout, oldest first. They share a slot.
func (w *world) signedFor(p *pay.Payout) (states []pay.SignedState) {
	w.t.Helper()
	history, err := w.store.SignedOf(context.Background(), p.ID)
	require.NoError(w.t, err)
	for i := range history {
		require.Equal(w.t, history[0].Nonce, history[i].Nonce)
		states = append(states, history[i].State)
	}
	return states
}

func TestAnExpiredPayoutIsSignedAgainAfterItsDeath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.unsent()
	w.mine("Tron", 12)
	require.Equal(t, []pay.SignedState{pay.TxSigned}, w.signedFor(p)) // its time is not over
	w.mine("Tron", 12)
	w.faults("Tron", "broadcast", "")
	w.work()
	require.Equal(t, []pay.SignedState{pay.TxExpired, pay.TxSent}, w.signedFor(p))
	w.mine("Tron", 5)
	require.Equal(t, []pay.SignedState{pay.TxExpired, pay.TxFinal}, w.signedFor(p))
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Tron", tronPayee))
}

// over is a node that calls everything over, and tells nothing of any transaction.
type over struct {
	chains.Sender
	chains.Watcher
}

func (over) Broadcast(context.Context, []byte) (chains.Outcome, string) {
	return chains.Expired, "transaction expired"
}

func (over) Status(_ context.Context, txids []string) (map[string]chains.TxStatus, error) {
	out := map[string]chains.TxStatus{}
	for _, txid := range txids {
		out[txid] = chains.TxStatus{State: chains.TxMissing}
	}
	return out, nil
}

// A node's word is no proof that a transaction is dead: blocks have it.
func TestANodesWordIsNoDeath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	p := w.payout("Tron", "USDT", "50", tronPayee)
	n, _ := w.registry.Network("Tron")
	sender, watcher := n.Sender, n.Watcher
	w.faults("Tron", "broadcast", "timeout-after-send")
	w.work()
	w.faults("Tron", "broadcast", "")
	n.Sender, n.Watcher = over{Sender: sender}, over{}
	w.mine("Tron", 30)
	require.Equal(t, []pay.SignedState{pay.TxMined}, w.signedFor(p))
	n.Sender, n.Watcher = sender, watcher
	w.mine("Tron", 1)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Tron", tronPayee))
}

// Covers operator §Admin: payout cancel takes effect
func TestAStopWaitsForTheDeath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.unsent()
	w.cancels(p)
	w.faults("Tron", "broadcast", "")
	w.work()
	require.Equal(t, "pending", w.payoutNow(p.ID).Status.Public())
	require.Equal(t, []pay.SignedState{pay.TxSent}, w.signedFor(p)) // for its follower, without a job
	w.mine("Tron", 24)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	require.Equal(t, "cancelled by the operator", *w.payoutNow(p.ID).Reason)
	require.Equal(t, []pay.SignedState{pay.TxExpired}, w.signedFor(p))
	w.equal("100", w.balance("USDT").Available)
	w.equal("0", w.paidTo("Tron", tronPayee))
}

// unpayable is a node that refuses each payment when it is tried out.
type unpayable struct{ chains.Sender }

func (unpayable) Prepare(context.Context, chains.Spend) (chains.Draft, error) {
	return nil, fmt.Errorf("%w: the token is paused", chains.ErrUnpayable)
}

// A payment that cannot be made any more when its turn comes to be signed again is refunded: what was signed before is dead.
func TestWhatCannotBeSignedAgainIsRefunded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.unsent()
	n, _ := w.registry.Network("Tron")
	n.Sender = unpayable{n.Sender}
	w.mine("Tron", 12)
	require.Equal(t, pay.PayoutSigned, w.payoutNow(p.ID).Status) // its time is not over
	w.mine("Tron", 12)
	w.work()
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	require.Contains(t, *w.payoutNow(p.ID).Reason, "the token is paused")
	require.Equal(t, []pay.SignedState{pay.TxExpired}, w.signedFor(p))
	w.equal("100", w.balance("USDT").Available)
	w.equal("0", w.paidTo("Tron", tronPayee))
}

// A reorganisation that undoes the blocks of a proof undoes the proof.
func TestAnUndoneDeathIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.unsent()
	w.putOff()
	w.mineUnseen("Tron", 24)
	w.follow(t.Context())
	require.Equal(t, []pay.SignedState{pay.TxExpired}, w.signedFor(p))
	n, _ := w.registry.Network("Tron")
	seen := w.count("select height from signed_transactions where state = 'expired'")
	head, err := n.Scanner.Head(t.Context(), -1)
	require.NoError(t, err)
	_, err = w.chain.Reorg(t.Context(), "Tron", int(head.Height)-seen+1)
	require.NoError(t, err)
	w.follow(t.Context())
	require.Equal(t, []pay.SignedState{pay.TxSent}, w.signedFor(p))
	w.faults("Tron", "broadcast", "")
	w.mine("Tron", 5)
	w.mine("Tron", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Tron", tronPayee))
}

// Books on another database server may be older than the last signature. Everything signed is in a followed block or dead before the
// next is.
func TestBooksOfAnotherServerSignAfterTheLongestValidity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	w.exec("update followers set run = 'another'")
	w.workers = w.another()
	p := w.payout("Tron", "USDT", "50", tronPayee)
	w.work()
	require.Contains(t, w.troubled(p), "the database was started anew")
	w.mine("Tron", 10)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	w.mine("Tron", 16)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// A transaction of the hot wallet unknown to the books stops it, also where no chain counts a wallet's transactions.
func TestAForeignTransactionStopsAWalletByExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	w.foreignOnTron(tronPayee, "9")
	w.mine("Tron", 5)
	p := w.payout("Tron", "USDT", "50", "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE")
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Equal(t, 1, w.count("select count(*) from stopped_wallets where network = 'Tron'"))
	_, err := w.by("ops").ResumeWallet(t.Context(), "Tron", 0, 0)
	require.NoError(t, err)
	w.workers = w.another() // a process knows stops for a second
	w.work()
	w.mine("Tron", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// A step records the death while an attempt ends the job.
func TestARingOfADeathIsNotLost(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	p := w.unsent()
	w.putOff()
	w.mineUnseen("Tron", 24)
	w.cancels(p)
	w.exec(`create function waits() returns trigger language plpgsql as $f$ begin perform pg_advisory_xact_lock(4711); return old; end $f$`)
	w.exec(`create trigger waits before delete on jobs for each row when (old.kind = 'payout.broadcast') execute function waits()`)
	tx, err := w.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = tx.ExecContext(t.Context(), "select pg_advisory_xact_lock(4711)")
	require.NoError(t, err)
	w.exec("update jobs set run_at = now() - interval '1 hour' where kind = 'payout.broadcast'")
	due, err := w.store.TakeDue(t.Context(), []string{string(tasks.BroadcastPayout)}, 1, tasks.Visibility)
	require.NoError(t, err)
	require.Len(t, due, 1)
	done := make(chan error)
	other := w.another()
	go func() {
		done <- other.Do(t.Context(), tasks.Job{Kind: tasks.BroadcastPayout, Ref: due[0].Ref, Attempt: due[0].Attempt})
	}()
	w.await(1)
	followed := make(chan struct{})
	go func() {
		w.only(context.WithoutCancel(t.Context()), tasks.FollowNetwork)
		close(followed)
	}()
	w.await(2) // the step waits for the attempt
	require.NoError(t, tx.Rollback())
	require.NoError(t, <-done)
	<-followed
	w.exec("drop trigger waits on jobs")
	w.mine("Tron", 5)
	w.mine("Tron", 5)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status, "nobody looks at it again")
}
