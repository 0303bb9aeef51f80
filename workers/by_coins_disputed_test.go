package workers_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

// coinOf are coins of ours, as the chain has them.
func (w *world) coinOf(where string, args ...any) (coins []chains.Coin) {
	w.t.Helper()
	var rows []store.FreeCoin
	require.NoError(w.t, w.db.NewRaw("select id, token, amount, coalesce(deposit, '') as deposit, coalesce(position, 0) as position from coins where "+where,
		args...).Scan(w.t.Context(), &rows))
	for _, c := range rows {
		coins = append(coins, chains.Coin{ID: c.ID, Token: c.Token, Amount: c.Amount})
		if c.Deposit != "" {
			coins[len(coins)-1].At = &chains.Wallet{Address: c.Deposit, Index: uint32(c.Position)}
		}
	}
	return coins
}

// spendsCoins spends these coins of ours by a transaction unknown to the books.
func (w *world) spendsCoins(to, amount string, coins ...chains.Coin) (txid string) {
	w.t.Helper()
	n, _ := w.registry.Network("Bitcoin")
	draft, err := n.Sender.Prepare(w.t.Context(), chains.Spend{Orders: []chains.Order{{To: to, Token: "BTC", Amount: dec(amount)}}})
	require.NoError(w.t, err)
	signed, err := draft.Sign(chains.Slot{Number: 7, Coins: coins})
	require.NoError(w.t, err)
	outcome, reason := n.Sender.Broadcast(w.t.Context(), signed.Raw)
	require.Equal(w.t, chains.Accepted, outcome, reason)
	return signed.Txid
}

// twoCoins leaves the hot wallet two free coins, of 3 and 4. A payout of 5 needs both, and the larger one has the greater id.
func (w *world) twoCoins() {
	w.t.Helper()
	w.fund("Bitcoin", "BTC", "100")
	n, _ := w.registry.Network("Bitcoin")
	for range 20 {
		for _, amount := range []string{"3", "4"} {
			w.pays("Bitcoin", "BTC", n.HotAddress(), amount)
		}
		w.mine("Bitcoin", 5)
		w.exec("update coins set slot = 1000000 where amount not in (3, 4)")
		two := w.coinOf("slot is null and spent_by is null order by id")
		require.Len(w.t, two, 2)
		if two[0].Amount.Equal(dec("3")) { // the lowest id is not the largest
			return
		}
		w.exec("update coins set slot = 1000000 where amount in (3, 4)")
	}
	w.t.Fatal("the larger coin never had the greater id")
}

// A payout of two coins can be replaced: the order of its coins is kept.
func TestAPayoutOfTwoCoinsIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.twoCoins()
	w.faults("Bitcoin", "broadcast", "timeout")
	p := w.payout("Bitcoin", "BTC", "5", coinPayees[0])
	w.round()
	require.Len(t, w.coinOf("slot < 1000000 and spent_by is null"), 2)
	w.faults("Bitcoin", "broadcast", "")
	w.cancels(p)
	w.work()
	w.mine("Bitcoin", 5)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status, w.troubles())
}

// A foreigner spends the first coin of a slot. Once its payout has ended, the other coin is free.
func TestTheOtherCoinOfATakenSlotIsFree(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.twoCoins()
	w.faults("Bitcoin", "broadcast", "timeout")
	p := w.payout("Bitcoin", "BTC", "5", coinPayees[0])
	w.round()
	w.faults("Bitcoin", "broadcast", "")
	w.putOff()
	first := w.coinOf("slot < 1000000 and spent_by is null order by amount desc limit 1")
	txid := w.spendsCoins(coinPayees[1], "2", first...)
	w.mineUnseen("Bitcoin", 5)
	w.work()
	_, err := w.by("ops").ResumeWallet(t.Context(), "Bitcoin", 0, 0)
	require.NoError(t, err)
	_, err = w.by("ops").BookSpend(t.Context(), "Bitcoin", txid)
	require.NoError(t, err)
	w.workers = w.another()
	w.mine("Bitcoin", 5)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	require.Empty(t, w.coinOf("slot < 1000000 and spent_by is null"), "leased for ever")
}

// A foreign transaction spends the coins of two slots: the payouts of both can be ended.
func TestASweepOfTwoSlotsEndsThePayoutsOfBoth(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	w.faults("Bitcoin", "broadcast", "timeout")
	one := w.payout("Bitcoin", "BTC", "5", coinPayees[0])
	w.round()
	two := w.payout("Bitcoin", "BTC", "6", coinPayees[1])
	w.round()
	w.faults("Bitcoin", "broadcast", "")
	w.putOff()
	coins := w.coinOf("slot is not null and spent_by is null")
	require.Equal(t, 2, w.count("select count(distinct slot) from coins where slot is not null and spent_by is null"))
	txid := w.spendsCoins(coinPayees[2], "2", coins...)
	w.mineUnseen("Bitcoin", 5)
	w.work()
	_, err := w.by("ops").ResumeWallet(t.Context(), "Bitcoin", 0, 0)
	require.NoError(t, err)
	_, err = w.by("ops").BookSpend(t.Context(), "Bitcoin", txid)
	require.NoError(t, err)
	_, err = w.by("ops").BookSpend(t.Context(), "Bitcoin", txid)
	require.NoError(t, err, "the payout of the other slot")
	for _, p := range []*pay.Payout{one, two} {
		require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	}
}

// A foreign transaction is undone, and is never mined again. A person can resume the wallet.
func TestAVanishedForeignTransactionHoldsNoWallet(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	txid := w.spendsCoins(coinPayees[2], "2", w.coinOf("slot is null and spent_by is null limit 1")...)
	w.mine("Bitcoin", 1)
	require.Equal(t, 1, w.count("select count(*) from foreign_spends"))
	_, err := w.chain.Reorg(t.Context(), "Bitcoin", 1, txid)
	require.NoError(t, err)
	w.mine("Bitcoin", 6)
	require.Equal(t, 1, w.count("select count(*) from stopped_wallets"))
	_, err = w.by("ops").DismissSpend(t.Context(), "Bitcoin", txid)
	require.NoError(t, err)
	_, err = w.by("ops").ResumeWallet(t.Context(), "Bitcoin", 0, 0)
	require.NoError(t, err)
}

// A foreigner spends a coin of the replacement alone. The first transaction may still be mined, so nothing is refunded.
func TestTheCoinOfAReplacementAloneProvesNothing(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.twoCoins()
	w.faults("Bitcoin", "broadcast", "timeout")
	p := w.payout("Bitcoin", "BTC", "3.9999", coinPayees[0]) // with its fee all of the first coin
	w.round()
	n, _ := w.registry.Network("Bitcoin")
	n.BumpAfter = time.Minute
	history, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, history, 1)
	require.Len(t, w.coinOf("slot < 1000000 and spent_by is null"), 1)
	w.faults("Bitcoin", "broadcast", "")
	w.exec("update signed_transactions set state = 'sent', sent_at = now() - interval '2 minutes' where state = 'signed'")
	w.exec("update jobs set run_at = now()")
	w.only(t.Context(), tasks.BroadcastPayout)
	history, err = w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, history, 2, w.troubles())
	_, err = w.chain.Reorg(t.Context(), "Bitcoin", 1, history[1].Txid) // the replacement is dropped
	require.NoError(t, err)
	w.putOff()
	second := w.coinOf("amount = 3 and slot < 1000000")
	require.Len(t, second, 1)
	txid := w.spendsCoins(coinPayees[1], "2", second...)
	w.mineUnseen("Bitcoin", 5)
	for range 3 {
		w.only(t.Context(), tasks.FollowNetwork)
	}
	w.only(t.Context(), tasks.CheckWallets)
	_, err = w.by("ops").ResumeWallet(t.Context(), "Bitcoin", 0, 0)
	require.NoError(t, err)
	_, err = w.by("ops").BookSpend(t.Context(), "Bitcoin", txid)
	require.Error(t, err)
	outcome, reason := n.Sender.Broadcast(t.Context(), history[0].Raw) // by anybody who has the bytes
	require.Equal(t, chains.Accepted, outcome, reason)
	w.mineUnseen("Bitcoin", 5)
	w.equal("3.9999", w.bitcoins(coinPayees[0]))
	require.NotEqual(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status, "refunded and paid")
}

// besides is a node that something else happens beside, when it is asked for a status.
type besides struct {
	chains.Watcher
	once *sync.Once
	act  func()
}

func (m besides) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	out, err := m.Watcher.Status(ctx, txids)
	m.once.Do(m.act)
	return out, err
}

// rejectsOne is a node that rejects one transaction for good, and nothing else.
type rejectsOne struct {
	chains.Sender
	raw string
}

func (r rejectsOne) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	if string(raw) == r.raw {
		return chains.Rejected, "no"
	}
	return r.Sender.Broadcast(ctx, raw)
}

// rejectedBy is what such a node says of it.
type rejectedBy struct {
	chains.Watcher
	txid string
}

func (r rejectedBy) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	out, err := r.Watcher.Status(ctx, txids)
	if _, asked := out[r.txid]; asked {
		out[r.txid] = chains.TxStatus{State: chains.TxRejected}
	}
	return out, err
}

// One payout of a batch fails by a rejection, while an operator drops another one from it.
func TestARejectionOfABatchSeesItsReplacement(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	w.faults("Bitcoin", "broadcast", "timeout")
	a := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	b := w.payout("Bitcoin", "BTC", "3", coinPayees[1])
	w.round()
	w.faults("Bitcoin", "broadcast", "")
	history, err := w.store.SignedOf(t.Context(), a.ID)
	require.NoError(t, err)
	require.Len(t, history, 1)
	require.Len(t, w.paidByCoins(history[0].Txid), 2)
	n, _ := w.registry.Network("Bitcoin")
	sender, watcher := n.Sender, n.Watcher
	n.Sender = rejectsOne{sender, string(history[0].Raw)}
	take := func(p *pay.Payout) store.DueJob {
		w.exec("update jobs set run_at = now() - interval '1 hour' where kind = 'payout.broadcast' and ref = ?", p.ID)
		w.exec("update jobs set run_at = now() + interval '1 hour' where kind = 'payout.broadcast' and ref <> ?", p.ID)
		due, err := w.store.TakeDue(t.Context(), []string{string(tasks.BroadcastPayout)}, 1, tasks.Visibility)
		require.NoError(t, err)
		require.Len(t, due, 1)
		require.Equal(t, p.ID, due[0].Ref)
		return due[0]
	}
	other := w.another()
	n.Watcher = besides{rejectedBy{watcher, history[0].Txid}, new(sync.Once), func() {
		w.cancels(b)
		j := take(b)
		require.NoError(t, other.Do(t.Context(), tasks.Job{Kind: tasks.BroadcastPayout, Ref: j.Ref, Attempt: j.Attempt}))
	}}
	j := take(a)
	require.NoError(t, w.workers.Do(t.Context(), tasks.Job{Kind: tasks.BroadcastPayout, Ref: j.Ref, Attempt: j.Attempt}))
	n.Sender, n.Watcher = sender, rejectedBy{watcher, history[0].Txid}
	w.mine("Bitcoin", 5)
	w.mine("Bitcoin", 5)
	paid := w.bitcoins(coinPayees[0]).IsPositive()
	require.NotEqual(t, paid, w.payoutNow(a.ID).Status == pay.PayoutRefunded, "refunded and paid, or neither")
}

// A reorganisation pays two payouts dropped from their batch. A person is shown both.
func TestEachContraryPayoutOfABatchIsShown(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	txid, payouts := w.batch("2", "3", "4")
	for _, p := range payouts[:2] {
		w.cancels(p)
	}
	w.work()
	w.work()
	w.mine("Bitcoin", 5)
	for _, p := range payouts[:2] {
		require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	}
	history, err := w.store.SignedOf(t.Context(), payouts[0].ID)
	require.NoError(t, err)
	var final *pay.SignedTransaction
	var first *pay.SignedTransaction
	for i := range history {
		if history[i].State == pay.TxFinal {
			final = &history[i]
		}
		if history[i].Txid == txid {
			first = &history[i]
		}
	}
	require.NotNil(t, final)
	n, _ := w.registry.Network("Bitcoin")
	head, err := n.Scanner.Head(t.Context(), -1)
	require.NoError(t, err)
	_, err = w.chain.Reorg(t.Context(), "Bitcoin", int(head.Height-*final.Height)+1, final.Txid)
	require.NoError(t, err)
	outcome, reason := n.Sender.Broadcast(t.Context(), first.Raw)
	require.Equal(t, chains.Accepted, outcome, reason)
	w.putOff()
	w.mineUnseen("Bitcoin", 6)
	for range 6 {
		w.only(t.Context(), tasks.FollowNetwork)
	}
	require.Equal(t, 1, w.count("select count(distinct txid) from signed_transactions where txid = ? and state = 'final'", txid))
	require.Equal(t, 2, w.count("select count(*) from contrary_transactions where txid = ?", txid), "two payouts are refunded and paid")
}
