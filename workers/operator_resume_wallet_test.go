package workers_test

import (
	"context"
	"sync"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

// spends has somebody else with the key send 9 USDT elsewhere, at a nonce not given out.
func (w *world) spends(nonce uint64) (txid string) {
	w.t.Helper()
	n, _ := w.registry.Network("Ethereum")
	draft, err := n.Sender.Prepare(w.t.Context(), usdtTo(elsewhere, "9"))
	require.NoError(w.t, err)
	other, err := draft.Sign(chains.Slot{Number: nonce})
	require.NoError(w.t, err)
	outcome, why := n.Sender.Broadcast(w.t.Context(), other.Raw)
	require.Equal(w.t, chains.Accepted, outcome, why)
	return other.Txid
}

// stopsForSpends stops the hot wallet of Ethereum by two final spends, none of ours: of a payout's 5 USDT, at its nonce, and of 9 more.
func (w *world) stopsForSpends() (p *pay.Payout, by string) {
	w.t.Helper()
	w.fund("Ethereum", "USDT", "100")
	p = w.payout("Ethereum", "USDT", "5", destination)
	w.round()
	by = w.foreign("5", destination, w.firstSigned(p))
	w.spends(1)
	w.work()
	w.mine("Ethereum", 6)
	return p, by
}

// A spend pays the payout with its nonce, and no older one asking for the same: the older one's transaction, unknown to every node
// asked, was mined later as well, and nothing was left for the paid payout.
//
// Covers operator §Admin: wallet resume lets
func TestASpendPaysThePayoutOfItsNonce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n, _ := w.registry.Network("Ethereum")
	well := n.Sender
	paid := w.payout("Ethereum", "USDT", "5", destination)
	w.round()
	by := w.foreign("5", destination, w.firstSigned(paid))
	n.Sender = noneTaken{well}
	older := w.payout("Ethereum", "USDT", "5", destination)
	w.round()
	require.EqualValues(t, 1, w.firstSigned(older).Nonce)
	w.exec("update payouts set created_at = created_at - interval '1 hour' where id = ?", older.ID) // it had waited for approval
	n.Sender = well
	w.spends(2)
	n.Sender = noneTaken{well}
	w.work()
	w.mine("Ethereum", 6)
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(paid.ID).Status)
	require.Equal(t, by, *w.payoutNow(paid.ID).Txid)
	require.Equal(t, "pending", w.payoutNow(older.ID).Status.Public())
	n.Sender = well
	w.aged()
	w.work()
	w.mine("Ethereum", 6)
	require.Equal(t, w.firstSigned(older).Txid, *w.payoutNow(older.ID).Txid)
	w.equal("10", w.paidTo("Ethereum", destination))
	w.nothingWaits(older, 1)
}

// A payout completed by resuming its wallet is paid by its own transaction once the network has undone the spend that paid it: its
// nonce was free again, and all later ones wait behind it.
//
// Covers operator §Admin: wallet resume lets
func TestWhatPaidAPayoutOfAResumedWalletIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, by := w.stopsForSpends()
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	require.Equal(t, by, *w.payoutNow(p.ID).Txid)
	_, err = w.chain.Reorg(t.Context(), "Ethereum", 8, by)
	require.NoError(t, err)
	w.paidByItself(p)
}

// paidByItself has a payout of 5, completed by another transaction now undone, be completed by its own.
func (w *world) paidByItself(p *pay.Payout) {
	w.t.Helper()
	w.work()
	w.mine("Ethereum", 6)
	require.Equal(w.t, w.firstSigned(p).Txid, *w.payoutNow(p.ID).Txid)
	require.Equal(w.t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("5", w.paidTo("Ethereum", destination))
	w.nothingWaits(p, 1)
	require.Empty(w.t, w.troubles())
}

// A spend undone while its wallet is being resumed is undone with the rest: else the payout's own transaction would be replaced for
// ever by one in no block.
func TestWhatIsUndoneWhileItsWalletIsResumedIsUndoneAfterIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, by := w.stopsForSpends()
	other := w.held("lock table audit in share mode") // the last write
	resumed, undone := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := w.by("ops").ResumeWallet(context.WithoutCancel(t.Context()), "Ethereum", 0, 0)
		resumed <- err
	}()
	w.await(1)
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 8, by)
	require.NoError(t, err)
	j, err := w.store.TakeJob(t.Context(), string(tasks.FollowNetwork), tasks.RefOf("Ethereum"), tasks.Visibility, "")
	require.NoError(t, err)
	go func() {
		undone <- w.workers.Do(context.WithoutCancel(t.Context()), tasks.Job{Kind: tasks.FollowNetwork, Ref: j.Ref, Attempt: j.Attempt})
	}()
	w.await(2)
	require.NoError(t, other.Commit())
	require.NoError(t, <-resumed)
	require.NoError(t, <-undone)
	require.Equal(t, by, *w.payoutNow(p.ID).Txid)
	w.paidByItself(p)
}

// slowOrigin is a node slow to tell the origin of a transaction.
type slowOrigin struct {
	chains.Counter
	meanwhile func()
}

func (s slowOrigin) Origin(ctx context.Context, txid string) (chains.Origin, error) {
	s.meanwhile()
	return s.Counter.Origin(ctx, txid)
}

// More blocks are followed than are remembered while a stopped wallet's spends are looked up: nothing reorganised, and it resumes.
func TestAWalletIsResumedHoweverLongItIsLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, _ := w.stopsForSpends()
	n, _ := w.registry.Network("Ethereum")
	counts := n.Counter
	n.Counter = slowOrigin{counts, sync.OnceFunc(func() {
		w.mineMany("Ethereum", store.Window+10)
		for range 5 {
			w.round()
		}
	})}
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// A spend undone by a reorganisation has paid nobody: an operator cannot complete a payout by it.
func TestAnUndoneSpendPaysNoPayout(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.spends(0)
	w.work()
	w.mine("Ethereum", 6)
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	lost, err := w.store.LostSpends(t.Context())
	require.NoError(t, err)
	require.Len(t, lost, 1)
	_, err = w.chain.Reorg(t.Context(), "Ethereum", 8, lost[0].Txid)
	require.NoError(t, err)
	w.work()
	w.mine("Ethereum", 2)
	p := w.payout("Ethereum", "USDT", "9", elsewhere)
	w.work()
	_, err = w.by("ops").AssignSpend(t.Context(), "Ethereum", lost[0].Txid, &p.ID, decimal.Zero)
	require.ErrorContains(t, err, "in no block any more")
	lost[0].PayoutID = &p.ID
	decided, err := w.store.DecideSpend(t.Context(), &lost[0], lost[0].Decision) // as when it is undone meanwhile
	require.NoError(t, err)
	require.False(t, decided)
	require.Equal(t, "pending", w.payoutNow(p.ID).Status.Public())
}

// A payout asked for after a spend was seen is not paid by it, however alike they are: an operator says so or not.
//
// Covers operator §Admin: wallet resume lets
func TestASpendPaysNothingThatWasAskedForLater(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.spends(0)
	w.work()
	w.mine("Ethereum", 6)
	p := w.payout("Ethereum", "USDT", "9", elsewhere)
	w.work()
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	w.aged()
	w.work()
	w.unsigned(p)
	lost, err := w.store.LostSpends(t.Context())
	require.NoError(t, err)
	require.Len(t, lost, 1)
	_, err = w.by("ops").AssignSpend(t.Context(), "Ethereum", lost[0].Txid, nil, decimal.Zero)
	require.NoError(t, err)
	w.aged()
	w.work()
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("18", w.paidTo("Ethereum", elsewhere))
}
