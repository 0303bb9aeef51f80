package workers_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/onchain"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/workers/treasury"
)

// smallCoins pays so many coins of an amount to the hot wallet of Bitcoin, and makes them final.
func (w *world) smallCoins(count int, amount string) *chains.Network {
	w.t.Helper()
	n, _ := w.registry.Network("Bitcoin")
	for range count {
		w.pays("Bitcoin", "BTC", n.HotAddress(), amount)
	}
	w.mine("Bitcoin", 5)
	return n
}

// confirmedCold confirms the cold address of a network.
func (w *world) confirmedCold(network string) {
	w.t.Helper()
	w.exec("update cold_addresses set confirmed_at = now(), confirmed_by = 'ops' where network = ?", network)
}

// ofKind returns the moves of a kind on Bitcoin, the oldest first.
func (w *world) ofKind(kind pay.MoveKind) (of []pay.TreasuryMove) {
	w.t.Helper()
	for _, m := range w.moves("Bitcoin") {
		if m.Kind == kind {
			of = append(of, m)
		}
	}
	return of
}

// oneOfKind returns the only move of a kind on Bitcoin.
func (w *world) oneOfKind(kind pay.MoveKind) pay.TreasuryMove {
	w.t.Helper()
	all := w.ofKind(kind)
	require.Len(w.t, all, 1)
	return all[0]
}

// What the coins of the hot wallet are above the ceiling goes to the cold address, a small part first. The books agree all the while, and
// the fee is booked once.
func TestCoinsAboveTheCeilingGoToTheColdAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.splitCoins()
	n, _ := w.registry.Network("Bitcoin")
	hot := w.bitcoins(n.Hot)
	target := hot.Sub(dec("7"))
	w.ruled("Bitcoin", "BTC", func(r *store.TreasuryRule) { r.SweepMin, r.HotTarget, r.HotCeiling = dec("0.1"), target, &target })
	w.looked()
	w.mine("Bitcoin", 5)
	w.equal("0.007", w.bitcoins(n.Cold))
	w.mine("Bitcoin", 5)
	w.oneOfKind(pay.MoveCold)
	w.confirmedCold("Bitcoin")
	w.looked()
	for range 6 {
		w.mine("Bitcoin", 1)
		w.reconciles()
	}
	all := w.ofKind(pay.MoveCold)
	require.Len(t, all, 2)
	cost := decimal.Zero
	for _, m := range all {
		require.Equal(t, pay.MoveDone, m.Status)
		w.equal(m.Amount.String(), *m.Moved)
		cost = cost.Add(*m.Cost)
		require.Equal(t, 1, w.count("select count(*) from entries where kind = 'gas_spent' and subject = ?", ledger.Gas("Bitcoin", *m.Txid)))
	}
	require.True(t, cost.IsPositive())
	w.equal(hot.String(), w.bitcoins(n.Hot).Add(w.bitcoins(n.Cold)).Add(cost))
	w.equal("0", w.bitcoins(n.Hot).Sub(target).Round(2))
	require.Zero(t, w.count("select count(*) from coins where slot is not null and spent_by is null"))
}

// Many small coins become one, once a plan has seen what is cheap. Fewer are left, and so are large ones.
//
// Covers operator §Treasury: By the rules a consolidation
func TestSmallCoinsBecomeOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	n := w.smallCoins(50, "0.01")
	w.ruled("Bitcoin", "BTC", func(r *store.TreasuryRule) { r.SweepMin = dec("0.05") })
	w.looked()
	require.Empty(t, w.moves("Bitcoin"), "50 are not many")
	planned, err := w.workers.Treasury.Plan(t.Context(), n, treasury.Asked{})
	require.NoError(t, err)
	require.Len(t, planned, 1)
	require.Equal(t, "50 coins are below 0.05 BTC: the rules wait for more than 50", planned[0].Left)

	hot := w.bitcoins(n.Hot).Add(dec("0.07"))
	w.smallCoins(1, "0.05")
	w.smallCoins(1, "0.02")
	w.looked()
	for range 6 {
		w.mine("Bitcoin", 1)
		w.reconciles()
	}
	m := w.oneOfKind(pay.MoveConsolidate)
	require.Equal(t, pay.MoveDone, m.Status)
	w.equal("0.52", m.Amount)
	w.equal("0.52", m.Moved.Add(*m.Cost))
	w.equal(hot.Sub(*m.Cost).String(), w.bitcoins(n.Hot))
	require.Equal(t, 51, w.count("select count(*) from coins where spent_by = ?", *m.Txid))
	require.Equal(t, 1, w.count("select count(*) from coins where id like ? || ':%' and amount = ?", *m.Txid, *m.Moved))
	require.Equal(t, 1, w.count("select count(*) from coins where amount = 0.05 and spent_by is null"))
}

// A consolidation leaves a coin of the hot wallet itself: payouts begin with one, and it may wait for days. Those of deposits are spent.
//
// Covers operator §Treasury: A consolidation leaves
func TestAConsolidationLeavesACoinOfTheHotWallet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	n := w.smallCoins(12, "0.01")
	w.smallCoins(1, "0.02")
	w.fund("Bitcoin", "BTC", "50")
	w.exec("update coins set slot = 1000000 where deposit is null and amount > 1")
	_, err := w.by("ops").Consolidate(t.Context(), n.Name, onchain.ConsolidateAsked{Below: "0.05"})
	require.NoError(t, err)
	w.round()
	require.Equal(t, 12, w.count("select count(*) from coins where slot is not null and spent_by is null and amount < 1"))
	p := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status, w.troubles())
	require.Len(t, w.coinOf("slot is not null and spent_by is null and place = 0 and amount = 0.02"), 1)
}

// Coins not worth the fee of spending them stay, and are shown. At most a hundred are spent at once.
//
// Covers operator §Admin: causeway admin treasury consolidate
// Covers operator §Admin: treasury consolidate plans
func TestDustIsLeftAndShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.smallCoins(2, "0.000003")
	n := w.smallCoins(103, "0.01")
	swept, err := w.by("ops").Consolidate(t.Context(), "Bitcoin", onchain.ConsolidateAsked{Below: "0.05"})
	require.NoError(t, err)
	require.Len(t, swept.Moves, 1)
	w.equal("1", swept.Moves[0].Amount)
	w.mine("Bitcoin", 5)
	m := w.oneOfKind(pay.MoveConsolidate)
	require.Equal(t, pay.MoveDone, m.Status)
	require.Equal(t, 100, w.count("select count(*) from coins where spent_by = ?", *m.Txid))
	require.Equal(t, 2, w.count("select count(*) from coins where amount = 0.000003 and spent_by is null and slot is null"))
	pot, err := w.store.Pot(t.Context(), n.Name, n.Hot, "BTC", dec("0.000003"))
	require.NoError(t, err)
	require.Equal(t, int64(2), pot.LeftCoins)
	w.equal("0.000006", pot.Left)
	_, err = w.by("ops").Consolidate(t.Context(), "Bitcoin", onchain.ConsolidateAsked{Below: "0.05"})
	require.ErrorContains(t, err, "3 coins are below 0.05 BTC, and 10 are the least")
	_, err = w.by("ops").Consolidate(t.Context(), "Bitcoin", onchain.ConsolidateAsked{})
	require.ErrorContains(t, err, "no rule says which coins are small")
}

// Payouts come first: their coins are not made one, and do not go to the cold address.
func TestQueuedPayoutsKeepTheirCoins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.fund("Bitcoin", "BTC", "100")
	n := w.smallCoins(60, "0.01")
	w.faults("Bitcoin", "broadcast", "timeout")
	first := w.payout("Bitcoin", "BTC", "1", coinPayees[0]) // has the large coin
	w.work()
	waiting := w.payout("Bitcoin", "BTC", "0.5", coinPayees[1])
	w.putOff()
	_, err := w.by("ops").Consolidate(t.Context(), "Bitcoin", onchain.ConsolidateAsked{Below: "0.05"})
	require.ErrorContains(t, err, "payouts wait for them")
	w.faults("Bitcoin", "broadcast", "")
	require.NoError(t, w.workers.Treasury.Begin(t.Context(), &pay.TreasuryMove{Network: "Bitcoin", Kind: pay.MoveConsolidate, Token: "BTC", FromAddress: n.Hot,
		ToAddress: n.Hot, Amount: dec("0.6"), By: "ops"}))
	w.roundWithout("payout.broadcast", "network.follow")
	m := w.oneOfKind(pay.MoveConsolidate)
	require.Equal(t, pay.MovePlanned, m.Status)
	require.Contains(t, w.troubled(&pay.Payout{ID: m.ID}), "payouts ask for 0.5001 BTC, and 0.01 would be left")
	w.work()
	w.mine("Bitcoin", 5)
	w.mine("Bitcoin", 5)
	for _, p := range []*pay.Payout{first, waiting} {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	}
}

// A stuck move is replaced in its slot, at a higher fee and with all its coins. The books agree with whichever is mined.
func TestAStuckMoveOfCoinsIsReplaced(t *testing.T) {
	t.Parallel()
	for _, kind := range []pay.MoveKind{pay.MoveCold, pay.MoveConsolidate} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Bitcoin")
			w.confirmedCold("Bitcoin")
			n := w.smallCoins(20, "0.01")
			n.BumpAfter = time.Minute
			before := w.bitcoins(n.Hot)
			w.begins(kind, "0.2")
			require.Equal(t, pay.MoveSent, w.oneOfKind(kind).Status)
			w.later("2 minutes")
			w.work()
			signed, err := w.store.SignedOf(t.Context(), w.oneOfKind(kind).ID)
			require.NoError(t, err)
			require.Greater(t, len(signed), 1)
			for range 6 {
				w.mine("Bitcoin", 1)
				w.reconciles()
			}
			m := w.oneOfKind(kind)
			require.Equal(t, pay.MoveDone, m.Status)
			require.NotEqual(t, signed[0].Txid, *m.Txid)
			w.equal(before.Sub(*m.Cost).String(), w.bitcoins(n.Hot).Add(w.bitcoins(n.Cold)))
			require.Zero(t, w.count("select count(*) from coins where slot is not null and spent_by is null"))
		})
	}
}

// begins begins a move of Bitcoin by an operator, and works.
func (w *world) begins(kind pay.MoveKind, amount string) {
	w.t.Helper()
	n, _ := w.registry.Network("Bitcoin")
	m := &pay.TreasuryMove{Network: "Bitcoin", Kind: kind, Token: "BTC", FromAddress: n.Hot, ToAddress: n.Hot, Amount: dec(amount), By: "ops"}
	if kind == pay.MoveCold {
		m.ToAddress = n.Cold
	}
	require.NoError(w.t, w.workers.Treasury.Begin(w.t.Context(), m))
	w.work()
}

// Coins of deposit addresses are made one at the hot wallet, and go to the cold address, as those of the hot wallet are. The books agree all
// the while, and no merchant's balance moves.
func TestCoinsOfDepositsAreMovedToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.confirmedCold("Bitcoin")
	n, _ := w.registry.Network("Bitcoin")
	for range 12 {
		w.pays("Bitcoin", "BTC", w.payin("Bitcoin", "BTC", "0.01").Wallet, "0.01")
	}
	w.mine("Bitcoin", 5)
	before, hot := w.balance("BTC"), w.bitcoins(n.Hot)
	w.begins(pay.MoveConsolidate, "0.12")
	for range 5 {
		w.mine("Bitcoin", 1)
		w.reconciles()
	}
	m := w.oneOfKind(pay.MoveConsolidate)
	require.Equal(t, pay.MoveDone, m.Status)
	w.equal(hot.Add(*m.Moved).String(), w.bitcoins(n.Hot))
	w.equal("0.12", m.Moved.Add(*m.Cost))
	require.Equal(t, before, w.balance("BTC"))
	w.pays("Bitcoin", "BTC", w.payin("Bitcoin", "BTC", "30000").Wallet, "30000")
	w.mine("Bitcoin", 5)
	w.begins(pay.MoveCold, "25000")
	for range 5 {
		w.mine("Bitcoin", 1)
		w.reconciles()
	}
	require.Equal(t, pay.MoveDone, w.oneOfKind(pay.MoveCold).Status)
	w.equal("25000", w.bitcoins(n.Cold))
}

// Coins with tokens of others are in no sum for payouts, and no slot leases them. A wallet with nothing else is too small, though it holds
// much: an operator is told what is missing, and what lies in such coins.
//
// Covers operator §Holdings: causeway_wallet_payable
func TestMixedCoinsPayNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.fund("Bitcoin", "BTC", "100")
	n := w.smallCoins(20, "0.01")
	w.reconcile()
	w.exec("update coins set mixed = true where amount < 0.02 or deposit is null")
	hot, deposits := w.bitcoins(n.Hot), dec("100")
	w.equal(deposits.String(), w.holding("Bitcoin", "BTC").Payable)
	pot, err := w.store.Pot(t.Context(), n.Name, n.Hot, "BTC", dec("0.000003"))
	require.NoError(t, err)
	w.equal(deposits.String(), pot.Amount)
	_, err = w.by("ops").Consolidate(t.Context(), "Bitcoin", onchain.ConsolidateAsked{Below: "0.05"})
	require.ErrorContains(t, err, "0 coins are below 0.05 BTC")

	w.exec("update coins set mixed = true")
	p := w.payout("Bitcoin", "BTC", "0.5", coinPayees[0])
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Zero(t, w.count("select count(*) from coins where slot is not null and spent_by is null"))
	all := hot.Add(deposits).String()
	require.Len(t, w.needs("the hot wallet has 0 for them: send 0.5 BTC or more to "+n.HotAddress()+". Beside that, "+all+" BTC are in coins with other tokens"), 1)
	w.exec("update coins set mixed = false where deposit is null")
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status, w.troubles())
	w.mine("Bitcoin", 5)
	w.mine("Bitcoin", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}
