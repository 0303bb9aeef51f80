package workers_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

// taken is a payout sent to the network, and a transaction of somebody else with the same key and nonce and a higher fee: the latter
// is mined instead. The chain's nonce is ours, so the wallet does not stop.
func taken(w *world, amount, to string) (*pay.Payout, string) {
	w.t.Helper()
	w.fund("Ethereum", "USDT", "100")
	first, p := w.payout("Ethereum", "USDT", "5", destination), w.payout("Ethereum", "USDT", "7", elsewhere)
	w.round()
	require.Equal(w.t, pay.PayoutSent, w.payoutNow(first.ID).Status)
	history, err := w.store.SignedOf(w.t.Context(), p.ID)
	require.NoError(w.t, err)
	require.Len(w.t, history, 1)
	n, _ := w.registry.Network("Ethereum")
	draft, err := n.Sender.Prepare(w.t.Context(), usdtTo(to, amount, history[0].Raw))
	require.NoError(w.t, err)
	other, err := draft.Sign(chains.Slot{Number: uint64(history[0].Nonce)})
	require.NoError(w.t, err)
	outcome, why := n.Sender.Broadcast(w.t.Context(), other.Raw)
	require.Equal(w.t, chains.Accepted, outcome, why)
	return p, other.Txid
}

// Covers operator §Admin: causeway admin wallet book
// Covers operator §Admin: wallet book ends
func TestAPayoutWhoseNonceWasTakenIsRefunded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, txid := taken(w, "30", destination)
	refused := func(why string) {
		t.Helper()
		_, err := w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
		require.ErrorContains(t, err, why)
		require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	}
	refused("is not final yet")
	w.mine("Ethereum", 1)
	refused("is not final yet")
	_, err := w.chain.Mine(t.Context(), "Ethereum", 5)
	require.NoError(t, err)
	refused("is not followed to its final block")
	w.mine("Ethereum", 1)
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	_, err = w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.ErrorContains(t, err, "is not stopped")
	w.folded()
	require.NotEmpty(t, w.reported())
	operators := &admin.Admin{Store: w.store}
	w.exec("update signed_transactions set signed_at = now() - interval '11 minutes'")
	h, err := operators.Health(t.Context())
	require.NoError(t, err)
	require.Len(t, h.Untaken, 1)
	require.Equal(t, []any{"Ethereum", int64(1), p.ID}, []any{h.Untaken[0].Network, h.Untaken[0].Payouts, h.Untaken[0].Oldest})
	require.True(t, slices.ContainsFunc(h.Troubles(), func(u admin.Trouble) bool {
		return strings.Contains(u.What, "1 payout is signed and not taken by Ethereum, for 11 min: ") &&
			strings.Contains(u.What, "another transaction has this nonce") &&
			u.Do == "causeway admin payout show "+p.ID.String()
	}), h.Troubles())

	b, err := w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
	require.NoError(t, err)
	require.Equal(t, []any{p.ID, int64(1), pay.PayoutRefunded}, []any{b.Payout, b.Nonce, b.Status})
	require.Len(t, b.Spends, 1)
	require.Equal(t, store.SpendLost, *b.Spends[0].Decision)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.ended(p)
	w.equal("93.95", w.balance("USDT").Available) // the other payout is debited 5, its rate of 1 % and its network fee
	require.Equal(t, []string{"payment_failed:failed", "payment_processed:success"}, slices.Sorted(slices.Values(w.receiver.got())))
	require.Equal(t, 1, w.count("select count(*) from audit where action = 'wallet.book' and actor = 'ops'"))
	w.folded()
	require.Empty(t, w.reported())
	h, err = operators.Health(t.Context())
	require.NoError(t, err)
	require.Empty(t, h.Untaken)
	_, err = w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
	require.ErrorContains(t, err, "no open payout was signed for nonce 1")
}

// The transaction at a nonce of ours may have paid a payout asked for now: this payout waits until an operator has decided on the
// transaction.
//
// Covers operator §Admin: wallet resume lets
func TestAPayoutToWhereAnUndecidedSpendWentWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	_, txid := taken(w, "30", destination)
	w.mine("Ethereum", 1)
	again := w.payout("Ethereum", "USDT", "30", destination)
	w.aged()
	w.work()
	w.unsigned(again)
	w.mine("Ethereum", 5)
	_, err := w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
	require.NoError(t, err)
	_, err = w.by("ops").AssignSpend(t.Context(), "Ethereum", txid, &again.ID, dec("0"))
	require.NoError(t, err)
	require.Equal(t, txid, *w.payoutNow(again.ID).Txid)
	w.equal("35", w.paidTo("Ethereum", destination)) // 5 of another payout
}

// A follower sees a spend after this process has read the stops, less than a second ago: the signing transaction sees it too.
//
// Covers operator §Admin: wallet resume lets
func TestASpendSeenSinceTheStopsWereReadHoldsAPayout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.payout("Ethereum", "USDT", "5", elsewhere)
	w.round() // reads the stops
	n, _ := w.registry.Network("Ethereum")
	w.exec(`insert into unknown_spends (network, txid, token, position, recipient, amount, height) values ('Ethereum', 'seen-just-now', 'USDT', 0, ?, 30, 1)`,
		n.Addresser.Match(destination))
	again, other := w.payout("Ethereum", "USDT", "30", destination), w.payout("Ethereum", "USDT", "3", elsewhere)
	w.round()
	w.unsigned(again)
	require.Contains(t, w.troubled(again), "seen-just-now, which our books do not know, moved 30 USDT from the hot wallet to the same recipient")
	w.round()
	require.Equal(t, pay.PayoutSent, w.payoutNow(other.ID).Status)
	w.exec("delete from unknown_spends")
}

// A reorganisation undoes a spend before anybody has decided on it. It may be mined again, so a payout like it waits until a person
// rules this out; when the spend is mined again, it is to be decided as before.
//
// Covers operator §Admin: wallet resume lets
func TestASpendThatIsUndoneBeforeItIsDecidedStillHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	_, txid := taken(w, "30", destination)
	w.mine("Ethereum", 1)
	again := w.payout("Ethereum", "USDT", "30", destination)
	waits := func(why string) {
		t.Helper()
		w.aged()
		w.work()
		w.unsigned(again)
		require.Contains(t, w.troubled(again), why)
	}
	waits("wallet book or wallet assign decides on it")
	undone := txid + " on Ethereum is in no block any more: it had spent 30 USDT of the hot wallet, and payouts of that token to "
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 1) // it is mined again at once
	require.NoError(t, err)
	w.follow(t.Context())
	require.Contains(t, w.troubles(), undone)
	w.follow(t.Context()) // sees it again, before the stops are read
	waits("wallet book or wallet assign decides on it")
	require.NotContains(t, w.troubles(), undone)
	_, err = w.chain.Reorg(t.Context(), "Ethereum", 2, txid)
	require.NoError(t, err)
	w.follow(t.Context())
	require.Contains(t, w.troubles(), undone)
	waits("causeway admin wallet dismiss Ethereum " + txid)
	_, err = w.ofNobody(txid)
	require.ErrorContains(t, err, "is in no block any more")
	dismiss := func() ([]store.UnknownSpend, error) { return w.by("ann").DismissSpend(t.Context(), "Ethereum", txid) }
	n, _ := w.registry.Network("Ethereum")
	node, at := n.Watcher, int64(w.count("select max(height) from chain_blocks where network = 'Ethereum'"))
	for why, status := range map[string]chains.TxStatus{
		"is in the mempool of Ethereum: it may still be mined": {State: chains.TxPending},
		"which is not final yet":                               {State: chains.TxReverted, Height: at},
	} {
		n.Watcher = saysOf{node, status}
		_, err = dismiss()
		require.ErrorContains(t, err, why)
	}
	n.Watcher = saysOf{node, chains.TxStatus{State: chains.TxReverted, Height: 1}}
	gone, err := dismiss()
	n.Watcher = node
	require.NoError(t, err)
	require.Len(t, gone, 1)
	require.Empty(t, w.troubles())
	w.aged()
	w.work()
	w.mine("Ethereum", 7)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(again.ID).Status)
	w.equal("35", w.paidTo("Ethereum", destination)) // 5 of another payout
}

// Covers operator §Admin: wallet book ends
func TestAPayoutThatWasPaidByWhatTookItsNonceIsCompleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, txid := taken(w, "7", elsewhere)
	w.mine("Ethereum", 5)
	w.exec(`insert into unknown_spends (network, txid, token, position, recipient, amount, height, undone_at)
		select network, txid, token, position + 1, recipient, amount, height - 1, now() from unknown_spends`) // of an undone block
	b, err := w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutCompleted, b.Status)
	require.Equal(t, txid, *w.payoutNow(p.ID).Txid)
	require.Equal(t, 1, w.count("select count(*) from unknown_spends where decision is null and undone_at is not null"))
	w.ended(p)
	w.equal("7", w.paidTo("Ethereum", elsewhere))
	w.folded()
	require.Empty(t, w.reported())
}

// ended checks that nothing goes on for a payout.
func (w *world) ended(p *pay.Payout) {
	w.t.Helper()
	require.Zero(w.t, w.count("select count(*) from signed_transactions where open"))
	w.work()
	require.Zero(w.t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
	history, err := w.store.SignedOf(w.t.Context(), p.ID)
	require.NoError(w.t, err)
	require.Len(w.t, history, 1)
	require.Equal(w.t, pay.TxReplaced, history[0].State)
}

// A transaction of ours, or of another wallet than the hot one, proves nothing.
func TestOnlyTheHotWalletsOtherTransactionsTakeNonces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	received := w.pays("Ethereum", "USDT", destination, "3")
	p := w.payout("Ethereum", "USDT", "5", destination)
	w.round()
	history, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	_, err = w.chain.Mine(t.Context(), "Ethereum", 6)
	require.NoError(t, err)
	for txid, why := range map[string]string{history[0].Txid: "is not followed to its final block", received: "knows no transaction",
		"nothing": "knows no transaction"} {
		_, err = w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
		require.ErrorContains(t, err, why)
	}
	w.mine("Ethereum", 1)
	_, err = w.by("ops").BookSpend(t.Context(), "Ethereum", history[0].Txid)
	require.ErrorContains(t, err, "is ours")
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// An attempt signing a replacement at the same moment has the payout's job: it is seen, and nothing is changed.
func TestAReplacementThatIsSignedMeanwhileIsSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, txid := taken(w, "30", destination)
	w.mine("Ethereum", 5)
	history, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	require.NoError(t, w.store.AddJob(t.Context(), string(tasks.BroadcastPayout), p.ID, time.Hour))
	booked := make(chan error, 1)
	err = w.store.InTx(t.Context(), func(tx *store.Store) error {
		var attempt int
		require.NoError(t, w.db.NewRaw("select attempt from jobs where ref = ?", p.ID).Scan(t.Context(), &attempt))
		ok, err := tx.StartJob(t.Context(), store.DueJob{Kind: string(tasks.BroadcastPayout), Ref: p.ID, Attempt: attempt}, tasks.Visibility)
		require.NoError(t, err)
		require.True(t, ok)
		next := history[0]
		next.Txid, next.State = uuid.NewString(), pay.TxSigned
		require.NoError(t, tx.AddSigned(t.Context(), []*pay.SignedTransaction{&next}))
		go func() {
			_, err := w.by("ops").BookSpend(context.WithoutCancel(t.Context()), "Ethereum", txid)
			booked <- err
		}()
		testkit.Eventually(t, time.Minute, func() bool {
			return w.count("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") > 0
		}, "it waits for the job")
		return nil
	})
	require.NoError(t, err)
	require.ErrorContains(t, <-booked, "signed meanwhile")
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	_, err = w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
}

// Two book the same transaction at the same moment: one does, and the other is told.
func TestATransactionIsBookedByOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, txid := taken(w, "30", destination)
	w.mine("Ethereum", 5)
	other := w.held("select from payouts where id = '" + p.ID.String() + "' for update")
	booked := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := w.by("ops").BookSpend(context.WithoutCancel(t.Context()), "Ethereum", txid)
			booked <- err
		}()
	}
	w.await(2)
	require.NoError(t, other.Commit())
	require.ErrorContains(t, errors.Join(<-booked, <-booked), "were moved meanwhile: try again")
	require.Equal(t, 1, w.count("select count(*) from audit where action = 'wallet.book'"))
}

// saysOf is a node with one answer about every transaction.
type saysOf struct {
	chains.Watcher
	status chains.TxStatus
}

func (s saysOf) Status(_ context.Context, txids []string) (map[string]chains.TxStatus, error) {
	out := map[string]chains.TxStatus{}
	for _, txid := range txids {
		out[txid] = s.status
	}
	return out, nil
}
