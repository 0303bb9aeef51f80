package workers_test

import (
	"context"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/treasury"
)

// ruled sets a rule of the treasury.
func (w *world) ruled(network, token string, change ...func(*store.TreasuryRule)) {
	w.t.Helper()
	r := &store.TreasuryRule{Network: network, Token: token, SweepMin: dec("1"), MaxFeePercent: dec("2")}
	for _, c := range change {
		c(r)
	}
	require.NoError(w.t, w.store.SetTreasuryRule(context.Background(), r))
}

// looked lets reconciliation look at every address, as it does each half minute, and plans by the rules.
func (w *world) looked() {
	w.t.Helper()
	w.reconcile()
	w.work()
}

// moves returns the moves of a network, the oldest first.
func (w *world) moves(network string) (all []pay.TreasuryMove) {
	w.t.Helper()
	require.NoError(w.t, w.db.NewSelect().Model(&all).Where("network = ?", network).Order("created_at", "id").Scan(context.Background()))
	return all
}

// holds returns what an address holds of a token at the head.
func (w *world) holds(network, token, address string) decimal.Decimal {
	w.t.Helper()
	n, _ := w.registry.Network(network)
	head, err := n.Scanner.Head(context.Background(), -1)
	require.NoError(w.t, err)
	held, err := n.Holder.Holdings(context.Background(), token, []string{n.Addresser.Match(address)}, head.Height)
	require.NoError(w.t, err)
	return held[0]
}

// A deposit of a token is swept once it is final. Its address gets the coin for the fee first, exactly and once, and neither moves
// the balance of the merchant. The books agree with the network in between.
func TestSweepOfATokenWithItsTopUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p := w.payin("Ethereum", "USDT", "100")
	w.pays("Ethereum", "USDT", p.Wallet, "100")
	w.mine("Ethereum", 4)
	before, hot := w.balance("USDT"), w.holds("Ethereum", "USDT", n.Hot)
	w.looked()
	require.Empty(t, w.moves("Ethereum"), "without a rule nothing moves")

	w.ruled("Ethereum", "USDT")
	w.looked()
	for range 12 {
		w.mine("Ethereum", 1)
		w.reconciles()
	}
	all := w.moves("Ethereum")
	require.Len(t, all, 2)
	sweep, topup := all[0], all[1]
	require.Equal(t, []pay.MoveStatus{pay.MoveDone, pay.MoveDone}, []pay.MoveStatus{sweep.Status, topup.Status})
	require.Equal(t, []pay.MoveKind{pay.MoveSweep, pay.MoveTopup}, []pay.MoveKind{sweep.Kind, topup.Kind})
	w.equal("100", *sweep.Moved)
	w.equal("0.0001", topup.Amount)
	require.True(t, sweep.Cost.IsPositive() && topup.Cost.IsPositive())
	w.equal(hot.Add(dec("100")).String(), w.holds("Ethereum", "USDT", n.Hot))
	w.equal("0", w.holds("Ethereum", "USDT", p.Wallet))
	w.equal("0", w.holds("Ethereum", "ETH", p.Wallet))
	require.Equal(t, before, w.balance("USDT"))
	require.True(t, w.balance("ETH").Available.IsZero(), "the top-up is nobody's")
}

// The coin is swept as well: the fee comes out of it.
func TestSweepOfTheCoin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p := w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.mine("Ethereum", 4)
	w.ruled("Ethereum", "ETH")
	hot := w.holds("Ethereum", "ETH", n.Hot)
	w.looked()
	for range 8 {
		w.mine("Ethereum", 1)
		w.reconciles()
	}
	all := w.moves("Ethereum")
	require.Len(t, all, 1)
	require.Equal(t, pay.MoveDone, all[0].Status)
	w.equal("1.9999", *all[0].Moved)
	w.equal("0.0001", *all[0].Cost)
	w.equal(hot.Add(dec("1.9999")).String(), w.holds("Ethereum", "ETH", n.Hot))
	w.equal("0", w.holds("Ethereum", "ETH", p.Wallet))
}

// What the hot wallet has above its ceiling goes to the cold address: a small amount first, and the rest once a person has seen it
// arrive. Payouts that wait are not part of it.
func TestTheRestGoesToTheColdAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	w.fund("Ethereum", "USDT", "100")
	hot := w.holds("Ethereum", "USDT", n.Hot)
	w.ruled("Ethereum", "USDT", func(r *store.TreasuryRule) {
		r.SweepMin, r.HotTarget = dec("1000000"), dec("5000")
		r.HotCeiling = new(dec("6000"))
	})
	w.looked()
	w.mine("Ethereum", 8)
	all := w.moves("Ethereum")
	require.Len(t, all, 1, "a second one waits until the first is confirmed")
	require.Equal(t, pay.MoveDone, all[0].Status)
	first := hot.Sub(dec("5000")).Shift(-3)
	w.equal(first.String(), w.holds("Ethereum", "USDT", n.Cold))
	w.reconciles()

	_, err := w.db.NewRaw("update cold_addresses set confirmed_at = now(), confirmed_by = 'ops' where network = 'Ethereum'").Exec(t.Context())
	require.NoError(t, err)
	p := w.payout("Ethereum", "USDT", "50", elsewhere)
	w.looked()
	w.mine("Ethereum", 8)
	w.reconciles()
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("5000", w.holds("Ethereum", "USDT", n.Hot).Round(0))
	w.equal(hot.Sub(dec("50")).String(), w.holds("Ethereum", "USDT", n.Hot).Add(w.holds("Ethereum", "USDT", n.Cold)))
}

// A row cannot lead money elsewhere: the signer knows our addresses by itself.
func TestAForgedMoveIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	w.fund("Ethereum", "USDT", "100")
	index := uint32(77)
	forged := []pay.TreasuryMove{
		{Kind: pay.MoveCold, Token: "USDT", FromAddress: n.Hot, ToAddress: n.Addresser.Match(elsewhere)},
		{Kind: pay.MoveTopup, Token: "ETH", FromAddress: n.Hot, ToAddress: n.Addresser.Match(elsewhere), Index: &index},
		{Kind: pay.MoveSweep, Token: "USDT", FromAddress: n.Hot, ToAddress: n.Addresser.Match(elsewhere), Index: &index},
	}
	for i := range forged {
		m := &forged[i]
		m.Network, m.Amount, m.By = "Ethereum", dec("10"), "mallory"
		require.NoError(t, w.workers.Treasury.Begin(t.Context(), m))
	}
	w.work()
	for _, m := range w.moves("Ethereum") {
		require.Equal(t, pay.MoveCancelled, m.Status, m.Kind)
		require.Contains(t, *m.Reason, "does not go from one of our addresses to another")
	}
	w.equal("0", w.holds("Ethereum", "USDT", elsewhere))
}

// A stop of the asset, or of the hot wallet, stops moves as it stops payouts.
func TestStopsStopMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.ruled("Ethereum", "USDT")
	_, err := w.db.NewRaw("insert into stopped_assets (asset, network, reason) values ('USDT', 'Ethereum', 'a test')").Exec(t.Context())
	require.NoError(t, err)
	w.looked()
	w.mine("Ethereum", 4)
	for _, m := range w.moves("Ethereum") {
		require.Equal(t, pay.MovePlanned, m.Status)
	}
	_, err = w.db.NewRaw("delete from stopped_assets").Exec(t.Context())
	require.NoError(t, err)
	w.mine("Ethereum", 12)
	for _, m := range w.moves("Ethereum") {
		require.Equal(t, pay.MoveDone, m.Status)
	}
}

// What is not worth its fee is left, and the plan says why.
func TestWhatIsNotWorthItsFeeIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p := w.payin("Ethereum", "ETH", "0.004")
	w.pays("Ethereum", "ETH", p.Wallet, "0.004")
	w.mine("Ethereum", 4)
	w.ruled("Ethereum", "ETH", func(r *store.TreasuryRule) { r.SweepMin = dec("0.001") })
	w.looked()
	require.Empty(t, w.moves("Ethereum"))
	planned, err := w.workers.Treasury.Plan(t.Context(), n, treasury.Asked{})
	require.NoError(t, err)
	require.Len(t, planned, 1)
	require.Equal(t, "it costs 0.0001 ETH to move, and 2% of it are 0.00008", planned[0].Left)
	w.equal("0.004", planned[0].Move.Amount)
}

// A sweep rejected for good has failed, and the next plan makes another one.
func TestARejectedSweepIsPlannedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.mine("Ethereum", 4)
	w.ruled("Ethereum", "ETH")
	w.faults("Ethereum", "broadcast", "reject")
	w.looked()
	w.faults("Ethereum", "", "")
	for range 8 {
		w.mine("Ethereum", 1)
		w.reconciles()
	}
	require.Equal(t, pay.MoveFailed, w.moves("Ethereum")[0].Status)
	w.looked()
	w.mine("Ethereum", 8)
	all := w.moves("Ethereum")
	require.Equal(t, pay.MoveDone, all[len(all)-1].Status)
	w.equal("0", w.holds("Ethereum", "ETH", p.Wallet))
}

// The planner begins so many moves at once, and looks again soon while there are more.
//
// Covers operator §Treasury: The rules plan each minute
func TestMovesWithoutRoomArePlannedSoon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	next := func() (seconds float64) {
		require.NoError(t, w.db.NewRaw("select extract(epoch from run_at - now()) from jobs where kind = 'treasury.plan'").Scan(t.Context(), &seconds))
		return seconds
	}
	for range 52 {
		w.pays("Ethereum", "ETH", w.payin("Ethereum", "ETH", "1").Wallet, "1")
	}
	w.mine("Ethereum", 4)
	w.looked()
	require.Greater(t, next(), 50.0, "without a rule there is nothing to plan soon")

	w.ruled("Ethereum", "ETH", func(r *store.TreasuryRule) { r.SweepMin = dec("0.5") })
	w.looked()
	require.Len(t, w.moves("Ethereum"), 50)
	require.Less(t, next(), 11.0)
	w.looked()
	require.Len(t, w.moves("Ethereum"), 50, "none of them is final yet")
	require.Less(t, next(), 11.0)

	w.mine("Ethereum", 8)
	w.looked()
	require.Len(t, w.moves("Ethereum"), 52)
	require.Greater(t, next(), 50.0)
}
