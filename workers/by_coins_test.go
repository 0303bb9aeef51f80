package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/ledger"
)

// putOff keeps payouts from being broadcast until all jobs are made due.
func (w *world) putOff() {
	w.t.Helper()
	w.exec("update jobs set run_at = now() + interval '1 day' where kind = 'payout.broadcast'")
}

// coinPayees are recipients on Bitcoin.
var coinPayees = []string{"1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "12c6DSiU4Rq3P4ZxziKxzrL5LmMBrzjrJX"}

// bitcoins is what an address holds of Bitcoin at its head.
func (w *world) bitcoins(address string) decimal.Decimal {
	w.t.Helper()
	n, _ := w.registry.Network("Bitcoin")
	head, err := n.Scanner.Head(context.Background(), -1)
	require.NoError(w.t, err)
	held, err := n.Holder.Holdings(context.Background(), "BTC", []string{n.Addresser.Match(address)}, head.Height)
	require.NoError(w.t, err)
	return held[0]
}

// splitCoins funds the merchant, and splits the hot wallet's only coin by a payout.
func (w *world) splitCoins() {
	w.t.Helper()
	w.fund("Bitcoin", "BTC", "100")
	w.payout("Bitcoin", "BTC", "1", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy")
	w.work()
	w.mine("Bitcoin", 4)
	w.receiver.clear()
	require.Greater(w.t, w.count("select count(*) from coins where spent_by is null and slot is null"), 1)
}

// batch has payouts of these amounts, to coinPayees in turn, share a transaction. It is in the mempool.
func (w *world) batch(amounts ...string) (txid string, payouts []*pay.Payout) {
	w.t.Helper()
	for i, amount := range amounts {
		payouts = append(payouts, w.payout("Bitcoin", "BTC", amount, coinPayees[i%len(coinPayees)]))
	}
	w.work()
	history, err := w.store.SignedOf(context.Background(), payouts[0].ID)
	require.NoError(w.t, err)
	require.Len(w.t, w.paidByCoins(history[0].Txid), len(payouts))
	return history[0].Txid, payouts
}

// paidByCoins are the payouts of a transaction.
func (w *world) paidByCoins(txid string) (ids []uuid.UUID) {
	w.t.Helper()
	rows, err := w.store.SignedWith(context.Background(), "Bitcoin", txid)
	require.NoError(w.t, err)
	for _, r := range rows {
		ids = append(ids, r.PayoutID)
	}
	return ids
}

// Covers addendum §7: completed: the transfer
func TestPayoutsShareATransaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.splitCoins()
	txid, payouts := w.batch("2", "3", "4")
	w.mine("Bitcoin", 4)
	for _, p := range payouts {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	}
	for _, id := range w.paidByCoins(txid) {
		require.Equal(t, txid, *w.payoutNow(id).Txid)
	}
	require.Equal(t, 1, w.count("select count(*) from entries where kind = 'gas_spent' and subject = ?", ledger.Gas("Bitcoin", txid)))
	require.Zero(t, w.count("select count(*) from coins where slot is not null and spent_by is null"))
}

// Payouts wait for others to share their transaction, and go together once the first one has waited long enough.
func TestPayoutsAreGathered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.splitCoins()
	n, _ := w.registry.Network("Bitcoin")
	n.BatchEvery = time.Hour
	first := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.work()
	second := w.payout("Bitcoin", "BTC", "3", coinPayees[1])
	w.work()
	for _, p := range []*pay.Payout{first, second} {
		require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
		require.Contains(t, w.troubled(p), "batch_every")
	}
	require.Equal(t, 2, w.count("select count(*) from jobs where kind = 'payout.broadcast' and run_at between now() + interval '50 minutes' and now() + interval '1 hour'"))
	w.exec("update payouts set created_at = created_at - interval '1 hour' where id = ?", first.ID)
	w.exec("update jobs set run_at = now() where kind = 'payout.broadcast' and ref = ?", first.ID)
	w.work()
	history, err := w.store.SignedOf(context.Background(), first.ID)
	require.NoError(t, err)
	require.ElementsMatch(t, []uuid.UUID{first.ID, second.ID}, w.paidByCoins(history[0].Txid))
	w.mine("Bitcoin", 5)
	for _, p := range []*pay.Payout{first, second} {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	}
}

// A payout stopped by an operator leaves its batch: the others are paid, and a later replacement does not pay it again.
func TestADroppedPayoutStaysDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.splitCoins()
	n, _ := w.registry.Network("Bitcoin")
	n.BumpAfter = time.Minute
	txid, _ := w.batch("2", "3", "4")
	its := w.paidByCoins(txid)
	kept, dropped := w.payoutNow(its[0]), w.payoutNow(its[2]) // the job of the kept one comes first
	before := w.bitcoins(dropped.Wallet)
	w.cancels(dropped)
	w.work()
	for range 2 {
		w.exec("update signed_transactions set sent_at = now() - interval '2 minutes' where state = 'sent'")
		w.work()
		w.work()
	}
	require.GreaterOrEqual(t, w.count("select count(distinct txid) from signed_transactions where payout_id = ?", kept.ID), 3)
	require.Equal(t, 1, w.count("select count(*) from signed_transactions where payout_id = ? and purpose = 'pay'", dropped.ID))
	w.mine("Bitcoin", 5)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(dropped.ID).Status)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(kept.ID).Status)
	w.equal(before.String(), w.bitcoins(dropped.Wallet))
}

// A coin in a transaction under way is nobody else's, however old its lease is.
func TestACoinIsLeasedToOneSlot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.fund("Bitcoin", "BTC", "100")
	one := w.payout("Bitcoin", "BTC", "1", coinPayees[0])
	w.faults("Bitcoin", "broadcast", "timeout")
	w.work()
	w.exec("update signed_transactions set signed_at = signed_at - interval '30 days'")
	two := w.payout("Bitcoin", "BTC", "2", coinPayees[1])
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(two.ID).Status)
	require.Contains(t, w.troubled(two), "each coin of the hot wallet is in a transaction under way")
	w.faults("Bitcoin", "broadcast", "")
	w.work()
	w.mine("Bitcoin", 5)
	w.mine("Bitcoin", 4)
	for _, p := range []*pay.Payout{one, two} {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	}
	require.Equal(t, 2, w.count("select count(distinct nonce) from signed_transactions"))
}

// A foreign spender of a coin is not the death of ours: it stops the wallet, and a person decides.
func TestAForeignSpenderStopsTheWallet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.fund("Bitcoin", "BTC", "100")
	w.faults("Bitcoin", "broadcast", "timeout")
	p := w.payout("Bitcoin", "BTC", "5", coinPayees[0])
	w.work()
	w.faults("Bitcoin", "broadcast", "")
	w.putOff()
	w.spendsCoins(coinPayees[0], "5", w.coinOf("spent_by is null")...) // ours under another txid: older books, or a changed signature
	w.mineUnseen("Bitcoin", 5)
	w.work()
	require.Equal(t, pay.PayoutSigned, w.payoutNow(p.ID).Status)
	other := w.payout("Bitcoin", "BTC", "6", coinPayees[1])
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(other.ID).Status)
	require.Equal(t, 1, w.count("select count(*) from stopped_wallets where network = 'Bitcoin'"))
	_, err := w.by("ops").ResumeWallet(t.Context(), "Bitcoin", 0, 0)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status) // the spend pays exactly the payout of its coin
	w.workers = w.another()                                         // a process knows stops for a second
	w.work()
	w.mine("Bitcoin", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(other.ID).Status)
	w.equal("5", w.bitcoins(coinPayees[0]))
}
