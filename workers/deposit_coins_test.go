package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/tasks"
)

// deposits are the coins at deposit addresses that nobody has spent.
func (w *world) deposits() []chains.Coin {
	w.t.Helper()
	return w.coinOf("deposit is not null and height is not null and spent_by is null order by amount desc")
}

// A payout spends the coin of a payin, beside one of the hot wallet. The books are exact at each block, and so is what each address holds.
//
// Covers operator §Settings: Payouts spend the coins of deposit addresses
func TestPayoutsSpendDeposits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.pays("Bitcoin", "BTC", w.payin("Bitcoin", "BTC", "50").Wallet, "50")
	w.mine("Bitcoin", 4)
	n, _ := w.registry.Network("Bitcoin")
	before := w.bitcoins(n.HotAddress())
	in := w.deposits()
	require.Len(t, in, 1)
	w.exact("Bitcoin", 1)
	p := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.work()
	require.Len(t, w.coinOf("slot is not null and spent_by is null and deposit = ? and place > 0", in[0].At.Address), 1)
	require.Len(t, w.coinOf("slot is not null and spent_by is null and deposit is null and place = 0"), 1)
	w.exact("Bitcoin", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Empty(t, w.deposits())
	w.equal("0", w.bitcoins(in[0].At.Address))
	w.equal(before.Add(dec("50")).Sub(dec("2.0001")).String(), w.bitcoins(n.HotAddress()))
	require.Zero(t, w.count("select count(*) from transfers where sender = ?", n.Hot), "change is no arrival")
}

// The first coin of a slot is one of the hot wallet itself: restored books may not know the newest deposit addresses. Without one, payouts
// wait.
//
// Covers operator §Settings: Payouts spend the coins of deposit addresses
func TestASlotBeginsWithACoinOfTheHotWallet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.fund("Bitcoin", "BTC", "50")
	w.exec("update coins set slot = 1000000 where deposit is null")
	p := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Contains(t, w.troubled(p), "each coin of the hot wallet is in a transaction under way")
	w.exec("update coins set slot = null where deposit is null")
	w.mine("Bitcoin", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// A hot wallet with nothing but a coin that is not worth its fee pays from deposits: its transactions begin with this coin.
//
// Covers operator §Settings: A payout below the least that the nodes pass on
func TestASmallCoinOfTheHotWalletBeginsASlot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	n, _ := w.registry.Network("Bitcoin")
	w.pays("Bitcoin", "BTC", n.HotAddress(), "0.000002")
	w.fund("Bitcoin", "BTC", "50")
	w.exec("update coins set slot = 1000000 where deposit is null and amount > 0.001")
	p := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.work()
	require.Len(t, w.coinOf("slot is not null and spent_by is null and deposit is null and place = 0 and amount = 0.000002"), 1, w.troubles())
	w.mine("Bitcoin", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Len(t, w.coinOf("own and slot is null and spent_by is null and amount > 10"), 4, "the change is the hot wallet's")
}

// A coin at a deposit address is spent when its block is final, and not before. Undone, it waits until a block has it again.
func TestADepositIsSpentWhenItIsFinal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.splitCoins()
	w.pays("Bitcoin", "BTC", w.payin("Bitcoin", "BTC", "50").Wallet, "50")
	free := func(want int) {
		t.Helper()
		n, _ := w.registry.Network("Bitcoin")
		require.Equal(t, want, w.count("select count(*) from free_coins('Bitcoin', ?) where deposit is not null", n.Hot))
	}
	w.mine("Bitcoin", 2)
	free(0)
	_, err := w.chain.Reorg(t.Context(), "Bitcoin", 2)
	require.NoError(t, err)
	w.work()
	free(0)
	w.mine("Bitcoin", 1)
	free(1)
}

// A payout undone with its block leaves the deposit leased: the same bytes are mined again.
func TestAPayoutOfDepositsIsUndone(t *testing.T) {
	t.Parallel()
	for _, drops := range []bool{false, true} {
		w := newWorld(t, "Bitcoin")
		w.fund("Bitcoin", "BTC", "50")
		p := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
		w.work()
		history, err := w.store.SignedOf(t.Context(), p.ID)
		require.NoError(t, err)
		w.mine("Bitcoin", 2)
		require.Empty(t, w.deposits())
		var drop []string
		if drops {
			drop = append(drop, history[0].Txid)
		}
		_, err = w.chain.Reorg(t.Context(), "Bitcoin", 2, drop...)
		require.NoError(t, err)
		w.round()
		w.exact("Bitcoin", 6)
		now := w.payoutNow(p.ID)
		require.Equal(t, pay.PayoutCompleted, now.Status)
		require.Equal(t, history[0].Txid, *now.Txid)
		require.Zero(t, w.count("select count(*) from stopped_wallets"))
	}
}

// An operator's tool collects deposits to addresses of ours: it is a move by hand. Nobody is credited, nothing stops, and its fee is booked
// once.
//
// Covers operator §Settings: A transaction unknown to the books that spends
// Covers operator §Own addresses: The fee of a move by hand
func TestDepositsCollectedByHandStopNothing(t *testing.T) {
	t.Parallel()
	for _, toHot := range []bool{true, false} {
		w := newWorld(t, "Bitcoin")
		w.fund("Bitcoin", "BTC", "50")
		n, _ := w.registry.Network("Bitcoin")
		other := w.payin("Bitcoin", "BTC", "7")
		to := map[bool]string{true: n.HotAddress(), false: other.Wallet}[toHot]
		txid := w.spendsCoins(to, "7", w.deposits()...)
		w.round()
		w.exact("Bitcoin", 6)
		require.Zero(t, w.count("select count(*) from stopped_wallets"))
		require.Zero(t, w.count("select count(*) from foreign_spends"))
		require.Zero(t, w.count("select count(*) from transfers where txid = ?", txid))
		require.Equal(t, pay.PayinPending, w.payinNow(other.ID).Status)
		cost, times := w.gas("Bitcoin", txid)
		w.equal("0.0001", cost)
		require.Equal(t, 1, times)
		p := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
		w.work()
		w.exact("Bitcoin", 6)
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	}
}

// A deposit that is spent to strangers by a transaction unknown to the books stops the wallet, as the work of older books would. What it
// paid holds a payout to the same recipient.
//
// Covers operator §Settings: A transaction unknown to the books that spends
func TestAForeignSpenderOfADepositStopsTheWallet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.fund("Bitcoin", "BTC", "100")
	w.spendsCoins(coinPayees[0], "5", w.deposits()...)
	w.mineUnseen("Bitcoin", 5)
	w.work()
	p := w.payout("Bitcoin", "BTC", "5", coinPayees[0])
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Equal(t, 1, w.count("select count(*) from stopped_wallets where network = 'Bitcoin'"))
	require.Equal(t, 1, w.count("select count(*) from unknown_spends where sender = '' and amount = 5"))
	_, err := w.by("ops").ResumeWallet(t.Context(), "Bitcoin", 0, 0)
	require.NoError(t, err)
	w.workers = w.another()
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status, "the same payout, asked for again")
	w.equal("5", w.bitcoins(coinPayees[0]))
}

// scripted has one address paid by a script without an address instead.
type scripted struct {
	chains.Scanner
	to string
}

func (s scripted) Blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	blocks, err := s.Scanner.Blocks(ctx, from, limit)
	for i := range blocks {
		for j := range blocks[i].Transfers {
			if t := &blocks[i].Transfers[j]; t.To == s.to {
				t.To = ""
			}
		}
	}
	return blocks, err
}

// A transaction that brings a deposit to us in part collects nothing, if the rest goes to a script without an address.
func TestADepositSpentToABareScriptStopsTheWallet(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.fund("Bitcoin", "BTC", "50")
	n, _ := w.registry.Network("Bitcoin")
	n.Scanner = scripted{n.Scanner, n.Addresser.Match(coinPayees[0])}
	txid := w.spendsCoins(coinPayees[0], "5", w.deposits()...)
	w.mineUnseen("Bitcoin", 1)
	w.work()
	require.Equal(t, 1, w.count("select count(*) from foreign_spends where txid = ?", txid))
}

// A tool that collects a deposit leased to a payout has made the payout impossible: that stops the wallet.
func TestACollectedLeaseStopsTheWallet(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.fund("Bitcoin", "BTC", "50")
	w.faults("Bitcoin", "broadcast", "timeout")
	w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.round()
	w.faults("Bitcoin", "broadcast", "")
	w.putOff()
	n, _ := w.registry.Network("Bitcoin")
	txid := w.spendsCoins(n.HotAddress(), "7", w.coinOf("deposit is not null and slot is not null")...)
	w.mineUnseen("Bitcoin", 1)
	w.work()
	require.Equal(t, 1, w.count("select count(*) from foreign_spends where txid = ?", txid))
}

// A copy of the books is put back. What was signed after it has spent a deposit alone, and waits in the mempool: the wallet stops. An
// operator's collection there does not stop it.
func TestRestoredBooksFindDepositsSpentInTheMempool(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"a lost payout": true, "a collection": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorldThatMayDiffer(t, "Bitcoin")
			w.fund("Bitcoin", "BTC", "50")
			backup := testkit.Copy(t)
			w.pays("Bitcoin", "BTC", w.payin("Bitcoin", "BTC", "8").Wallet, "8")
			w.mine("Bitcoin", 4)
			n, _ := w.registry.Network("Bitcoin")
			to := map[bool]string{true: coinPayees[0], false: n.HotAddress()}[lost]
			w.spendsCoins(to, "5", w.deposits()[:1]...)
			r := w.restoredThatMayDiffer(backup)
			p := r.payout("Bitcoin", "BTC", "5", coinPayees[0])
			r.work()
			r.unsigned(p)
			stops := map[bool]int{true: 1, false: 0}[lost]
			require.Equal(t, stops, r.count("select count(*) from foreign_spends"))
			r.mine("Bitcoin", 8)
			require.Equal(t, stops, r.count("select count(*) from stopped_wallets"))
			require.Equal(t, lost, r.payoutNow(p.ID).Status == pay.PayoutQueued)
			w.equal("5", r.bitcoins(coinPayees[0]))
		})
	}
}

// Restored books look through the mempool when they have followed all blocks: it may spend a coin that they do not know before.
func TestRestoredBooksFollowFirst(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.fund("Bitcoin", "BTC", "50")
	known := w.payin("Bitcoin", "BTC", "8")
	backup := testkit.Copy(t)
	w.pays("Bitcoin", "BTC", known.Wallet, "8")
	w.mine("Bitcoin", 4)
	w.spendsCoins(coinPayees[0], "5", w.coinOf("amount = 8")...)
	r := w.restoredThatMayDiffer(backup)
	p := r.payout("Bitcoin", "BTC", "5", coinPayees[0])
	r.only(t.Context(), tasks.CheckWallets)
	r.work()
	r.unsigned(p)
	require.Equal(t, 1, r.count("select count(*) from foreign_spends"))
}
