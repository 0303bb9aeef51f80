package workers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/tasks"
)

// bothKinds runs a test for each move of coins: 20 small ones and a large one are free.
func bothKinds(t *testing.T, run func(t *testing.T, w *world, kind pay.MoveKind)) {
	t.Helper()
	for _, kind := range []pay.MoveKind{pay.MoveCold, pay.MoveConsolidate} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Bitcoin")
			w.confirmedCold("Bitcoin")
			w.smallCoins(20, "0.01")
			run(t, w, kind)
		})
	}
}

// agreesFor mines blocks of Bitcoin, and after each the books agree with the network.
func (w *world) agreesFor(blocks int) {
	w.t.Helper()
	for range blocks {
		w.mine("Bitcoin", 1)
		w.reconciles()
	}
}

// nothingLeased fails if a coin in no transaction has a lease.
func (w *world) nothingLeased() {
	w.t.Helper()
	require.Zero(w.t, w.count("select count(*) from coins where slot is not null and spent_by is null"))
}

// A move that nobody is known to have sends the same bytes again. Its coins are no other's meanwhile.
func TestAMoveOfCoinsKeepsItsBytesAndCoins(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, w *world, kind pay.MoveKind) {
		w.faults("Bitcoin", "broadcast", "timeout")
		w.begins(kind, "0.2")
		m := w.oneOfKind(kind)
		require.Equal(t, pay.MoveSigned, m.Status)
		leased := w.count("select count(*) from coins where slot is not null and spent_by is null")
		require.Equal(t, map[pay.MoveKind]int{pay.MoveCold: 1, pay.MoveConsolidate: 20}[kind], leased)
		w.later("30 days")
		w.work()
		require.Equal(t, leased, w.count("select count(*) from coins where slot is not null and spent_by is null"))
		w.faults("Bitcoin", "broadcast", "")
		w.work()
		w.agreesFor(5)
		m = w.oneOfKind(kind)
		require.Equal(t, pay.MoveDone, m.Status)
		require.Equal(t, 1, w.count("select count(*) from signed_transactions where payout_id = ?", m.ID))
		w.nothingLeased()
	})
}

// An operator stops a signed move: a transaction takes its coins and brings them back. Its fee is booked, and they are free again.
func TestAStoppedMoveOfCoinsMovesNothing(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, w *world, kind pay.MoveKind) {
		n, _ := w.registry.Network("Bitcoin")
		before := w.bitcoins(n.Hot)
		w.begins(kind, "0.2")
		_, err := (&admin.Admin{Store: w.acts, Actor: "ops"}).CancelMove(t.Context(), w.oneOfKind(kind).ID)
		require.NoError(t, err)
		w.work()
		w.agreesFor(5)
		m := w.oneOfKind(kind)
		require.Equal(t, []any{pay.MoveFailed, "cancelled by the operator"}, []any{m.Status, *m.Reason})
		w.equal(before.Sub(*m.Cost).String(), w.bitcoins(n.Hot))
		w.equal("0", w.bitcoins(n.Cold))
		w.nothingLeased()
	})
}

// A reorganisation undoes a move, before it is final or after. The same bytes are mined again, and the books agree in each block.
func TestAReorganisationOfAMoveOfCoins(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, w *world, kind pay.MoveKind) {
		for _, blocks := range []int{1, 5} {
			w.begins(kind, "0.2")
			all := w.ofKind(kind)
			id, txid := all[len(all)-1].ID, *all[len(all)-1].Txid
			w.agreesFor(blocks)
			_, err := w.chain.Reorg(t.Context(), "Bitcoin", blocks, txid)
			require.NoError(t, err)
			w.agreesFor(6)
			m, err := w.store.Move(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, []any{pay.MoveDone, txid}, []any{m.Status, *m.Txid})
			require.Equal(t, 1, w.count("select count(*) from signed_transactions where payout_id = ?", id))
			w.nothingLeased()
			if kind == pay.MoveConsolidate {
				w.smallCoins(20, "0.01")
			}
		}
	})
}

// The change of a move pays a payout in the next block. From then on nothing else is signed for the move, whatever is asked: its bytes are
// sent again after a reorganisation, though they are stuck and an operator stops the move.
func TestAMoveWhoseChangeIsSpentIsNotReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.fund("Bitcoin", "BTC", "100")
	w.confirmedCold("Bitcoin")
	n, _ := w.registry.Network("Bitcoin")
	w.begins(pay.MoveCold, "0.2")
	w.mine("Bitcoin", 1)
	m := w.oneOfKind(pay.MoveCold)
	p := w.payout("Bitcoin", "BTC", "1", coinPayees[0])
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	n.BumpAfter = time.Minute
	_, err := w.chain.Reorg(t.Context(), "Bitcoin", 1, *m.Txid)
	require.NoError(t, err)
	w.exec("update treasury_moves set cancelling = true")
	for range 3 {
		w.later("2 minutes")
		w.work()
	}
	require.Equal(t, 1, w.count("select count(*) from signed_transactions where payout_id = ?", m.ID))
	w.agreesFor(6)
	require.Equal(t, pay.MoveDone, w.oneOfKind(pay.MoveCold).Status)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// Somebody else spends the coin of a move. The wallet stops, and the move fails: its other coins are free again once a person has resumed
// the wallet.
func TestAMoveWhoseCoinSomebodyElseSpendsFails(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.confirmedCold("Bitcoin")
	w.smallCoins(20, "0.01")
	w.faults("Bitcoin", "broadcast", "timeout")
	w.begins(pay.MoveConsolidate, "0.2")
	w.faults("Bitcoin", "broadcast", "")
	w.exec("update jobs set run_at = now() + interval '1 day' where kind = 'treasury.move'")
	w.spendsCoins(coinPayees[0], "0.005", w.coinOf("slot is not null and place = 0")...)
	w.mineUnseen("Bitcoin", 5)
	w.roundWithout(tasks.MoveTreasury)
	require.Equal(t, 1, w.count("select count(*) from foreign_spends where resumed_at is null"))
	w.later("11 minutes")
	w.work()
	m := w.oneOfKind(pay.MoveConsolidate)
	require.Equal(t, []any{pay.MoveFailed, "a transaction unknown to the books has taken its slot"}, []any{m.Status, *m.Reason})
	require.Equal(t, 1, w.count("select count(*) from stopped_wallets where network = 'Bitcoin'"))
	w.nothingLeased()
}

// A row cannot lead coins elsewhere, nor have few of them moved to and fro. Nothing is swept.
func TestForgedMovesOfCoinsAreCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	n := w.smallCoins(9, "0.01")
	w.confirmedCold("Bitcoin")
	index := uint32(0)
	deposit, err := n.Addresser.Derive(t.Context(), index)
	require.NoError(t, err)
	for why, m := range map[string]pay.TreasuryMove{
		"the move does not go from one of our addresses to another":  {Kind: pay.MoveConsolidate, FromAddress: n.Hot, ToAddress: n.Addresser.Match(coinPayees[0])},
		"the move does not go from one of our addresses to another ": {Kind: pay.MoveSweep, FromAddress: n.Addresser.Match(deposit), ToAddress: n.Hot, Index: &index},
		"9 of its coins are free, and 10 are the least":              {Kind: pay.MoveConsolidate, FromAddress: n.Hot, ToAddress: n.Hot},
	} {
		m.Network, m.Token, m.Amount, m.By = "Bitcoin", "BTC", dec("10"), "mallory"
		require.NoError(t, w.workers.Treasury.Begin(t.Context(), &m))
		w.work()
		now, err := w.store.Move(t.Context(), m.ID)
		require.NoError(t, err)
		require.Equal(t, pay.MoveCancelled, now.Status, why)
		require.Contains(t, why, *now.Reason)
	}
	w.nothingLeased()
	require.Zero(t, w.count("select count(*) from signed_transactions"))
}

// A network that rejects a move for good ends it, and its coins are free.
func TestARejectedMoveOfCoinsFreesThem(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, w *world, kind pay.MoveKind) {
		w.faults("Bitcoin", "broadcast", "reject")
		w.begins(kind, "0.2")
		w.faults("Bitcoin", "", "")
		w.agreesFor(6)
		require.Equal(t, pay.MoveFailed, w.oneOfKind(kind).Status)
		w.nothingLeased()
	})
}

// A replacement needs one coin more, and the first transaction is mined: the coin that was only in the replacement is free.
func TestACoinOfAReplacementAloneIsFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.confirmedCold("Bitcoin")
	n := w.smallCoins(2, "0.01")
	n.BumpAfter = time.Minute
	w.begins(pay.MoveCold, w.bitcoins(n.Hot).Sub(dec("0.0201")).String()) // all of the large coin but the fee
	w.faults("Bitcoin", "broadcast", "timeout")
	w.later("2 minutes")
	w.round() // the follower finds it stuck
	w.round()
	require.Len(t, w.coinOf("slot is not null and spent_by is null"), 2)
	w.faults("Bitcoin", "broadcast", "")
	w.exec("update jobs set run_at = now() + interval '1 day' where kind = 'treasury.move'")
	w.mineUnseen("Bitcoin", 5)
	w.roundWithout(tasks.MoveTreasury)
	w.agreesFor(2)
	require.Equal(t, pay.MoveDone, w.oneOfKind(pay.MoveCold).Status)
	w.nothingLeased()
}
