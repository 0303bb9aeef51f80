package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/tasks"
)

// replacing is a node with an interruption while it is asked for the replacement of a transaction, and another as this is signed.
// From the first one on it says of everything: its nonce is spent.
type replacing struct {
	chains.Sender
	asked, signs func()
	spent        bool
}

func (r *replacing) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	if len(spend.Over) == 0 {
		return r.Sender.Prepare(ctx, spend)
	}
	r.begin()
	d, err := r.Sender.Prepare(ctx, spend)
	return signing{d, r.signs}, err
}

func (r *replacing) begin() {
	if happens := r.asked; happens != nil {
		r.asked = nil
		happens()
	}
	r.spent = true
}

func (r *replacing) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	if r.spent {
		return chains.NotTaken, "the nonce is spent, but not by this transaction: nonce too low"
	}
	return r.Sender.Broadcast(ctx, raw)
}

// signing is a draft with an interruption at its signature.
type signing struct {
	chains.Draft
	happens func()
}

func (s signing) Sign(slot chains.Slot) (chains.Signed, error) {
	if s.happens != nil {
		s.happens()
	}
	return s.Draft.Sign(slot)
}

// minesAndFollows adds blocks to a network, and follows each before the next.
func (w *world) minesAndFollows(network string, blocks int) {
	w.t.Helper()
	for range blocks {
		w.mineUnseen(network, 1)
		w.follow(w.t.Context())
	}
}

// broadcasts works on a payout's job, planned here when there is none.
func (w *world) broadcasts(p *pay.Payout) {
	w.t.Helper()
	w.exec("insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?, now()) on conflict do nothing", p.ID)
	w.broadcast(p.ID)
}

// nothingWaits has time pass, and checks that nothing is left to do for any payout, nor for this one with so many signed
// transactions.
func (w *world) nothingWaits(p *pay.Payout, signed int) {
	w.t.Helper()
	for range 4 {
		w.later("1 hour")
		w.mine("Ethereum", 2)
	}
	require.Equal(w.t, signed, w.count("select count(*) from signed_transactions where payout_id = ?", p.ID))
	require.Zero(w.t, w.count("select count(*) from signed_transactions where open"))
	require.Zero(w.t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
}

// A cancellation final by the time the node has named a higher fee for it is not signed again: a second one would wait for ever for a
// spent nonce.
func TestACancellationThatEndsMeanwhileIsNotReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, p := w.stuckPayout()
	w.cancels(p)
	w.broadcast(p.ID)
	w.exec("update signed_transactions set sent_at = now() - interval '2 minutes'")
	n.Sender = &replacing{Sender: n.Sender, asked: func() {
		w.minesAndFollows("Ethereum", 6)
		require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	}}
	w.broadcasts(p)
	w.nothingWaits(p, 2)
	require.Empty(t, w.troubles())
}

// A reverted payment, undone and paying while the node is asked for its cancellation, is not cancelled any more: a person is told,
// and nothing else is left of it.
func TestARefundedPaymentThatIsMinedMeanwhileIsNotCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	sends := n.Sender
	p, payment := w.revertedPayout()
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 8, payment.Txid)
	require.NoError(t, err)
	outcome, why := sends.Broadcast(t.Context(), payment.Raw) // another node has kept it
	require.Equal(t, chains.Accepted, outcome, why)
	w.follow(t.Context())
	n.Sender = &replacing{Sender: sends, asked: func() { w.minesAndFollows("Ethereum", 8) }}
	w.broadcast(p.ID)
	w.nothingWaits(p, 1)
	require.Contains(t, w.troubles(), "Payout "+p.ID.String()+" is refunded, and its network has paid it after all")
	w.reconcile()
	_, err = (&admin.Admin{Store: w.store, Actor: "ann"}).CorrectTreasury(t.Context(),
		admin.NewCorrection{Network: "Ethereum", Asset: "USDT", Amount: "-50", Reason: "refunded and paid"})
	require.NoError(t, err)
}

// Nothing is signed for a payout with a transaction in a block by then, though it is not final.
func TestAPayoutThatIsMinedMeanwhileIsNotReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, p := w.stuckPayout()
	n.Sender = &replacing{Sender: n.Sender, asked: func() { w.minesAndFollows("Ethereum", 1) }}
	w.broadcasts(p)
	require.Equal(t, 1, w.count("select count(*) from signed_transactions where state = 'mined'"))
	require.Equal(t, 1, w.count("select count(*) from signed_transactions"))
	w.nothingWaits(p, 1)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// A transaction signed while a follower settles another of its nonce is replaced by the other: the follower waits for it, and would
// not see it else.
func TestWhatIsSignedWhileItsNonceIsSettledIsReplaced(t *testing.T) {
	t.Parallel()
	for name, cancels := range map[string]bool{"payment": false, "cancellation": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			n, p := w.stuckPayout()
			if cancels {
				w.cancels(p)
			} else {
				w.exec("insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?, now()) on conflict do nothing", p.ID)
			}
			j, err := w.store.TakeJob(t.Context(), string(tasks.BroadcastPayout), p.ID, tasks.Visibility, "")
			require.NoError(t, err)
			settled := make(chan struct{})
			n.Sender = &replacing{Sender: n.Sender, asked: func() { w.mineUnseen("Ethereum", 8) }, signs: func() {
				go func() { defer close(settled); w.follow(context.Background()) }()
				w.await(1)
			}}
			require.NoError(t, w.workers.Do(t.Context(), tasks.Job{Kind: tasks.BroadcastPayout, Ref: j.Ref, Attempt: j.Attempt}))
			<-settled
			w.nothingWaits(p, 2)
			require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
			require.Empty(t, w.troubles())
		})
	}
}
