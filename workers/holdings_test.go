package workers_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// holding returns the vitals of an asset on a network.
func (w *world) holding(network, asset string) store.WalletVitals {
	w.t.Helper()
	all, err := w.store.WalletVitals(w.t.Context())
	require.NoError(w.t, err)
	for _, v := range all {
		if v.Network == network && v.Asset == asset {
			return v
		}
	}
	return store.WalletVitals{}
}

// A whole look keeps what the hot wallet holds, and what all other addresses hold together; a later look replaces it.
//
// Covers operator §Holdings: causeway_wallet_balance
func TestALookKeepsWhatIsHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum", "Base")
	n, _ := w.registry.Network("Ethereum")
	require.False(t, w.holding("Ethereum", "USDT").Seen, "no look has ended")
	begun := w.paidTo("Ethereum", n.Hot)
	w.fund("Ethereum", "USDT", "300")
	w.fund("Ethereum", "USDT", "20.5")
	w.reconcile()
	v := w.holding("Ethereum", "USDT")
	require.True(t, v.Seen)
	require.Equal(t, n.HotAddress(), v.Address)
	w.equal("320.5", v.Deposits)
	require.Equal(t, begun.String(), v.Hot.String())
	w.equal("0", w.holding("Base", "USDC").Deposits)

	w.payout("Ethereum", "USDT", "100", destination)
	w.work()
	w.mine("Ethereum", 4)
	w.reconcile()
	v = w.holding("Ethereum", "USDT")
	w.equal("320.5", v.Deposits)
	require.Equal(t, begun.Sub(dec("100")).String(), v.Hot.String())
	require.Equal(t, 1, w.count("select count(distinct seen_at) from wallet_holdings where network = 'Ethereum'"), "one look is kept")

	w.exec("insert into wallet_holdings (network, asset, kind, amount, height, seen_at) values ('Ethereum', 'GONE', 'hot', 1, 1, now())")
	w.reconcile()
	require.Zero(t, w.count("select count(*) from wallet_holdings where asset = 'GONE'"), "the catalogue has no such token")
	w.exec("delete from reconcile_looks where network = 'Ethereum'")
	require.Zero(t, w.count("select count(*) from wallet_holdings where network = 'Ethereum'"), "it is forgotten with its looks")
}

// What the treasury moves is in flight from its signature until it is final.
//
// Covers operator §Holdings: causeway_wallet_moving
func TestWhatIsInFlightIsKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.reconcile()
	for i, status := range []pay.MoveStatus{pay.MovePlanned, pay.MoveSigned, pay.MoveSent, pay.MoveDone, pay.MoveFailed} {
		index := uint32(i)
		require.NoError(t, w.store.AddMove(t.Context(), &pay.TreasuryMove{ID: uuid.Must(uuid.NewV7()), Network: "Ethereum", Kind: pay.MoveSweep, Token: "USDT",
			FromAddress: uuid.NewString(), ToAddress: "hot", Index: &index, Amount: decimal.New(1, int32(i)), Status: status, By: pay.ByRules}))
	}
	w.equal("110", w.holding("Ethereum", "USDT").Moving)
	w.equal("0", w.holding("Ethereum", "ETH").Moving)
	w.exec("delete from treasury_moves")
}

// Payouts and their network costs count by the hour of their end, each once. The hot wallet lasts by their mean.
//
// Covers operator §Holdings: causeway_wallet_lasts_days
func TestAWalletLastsByWhatPayoutsTook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "1000")
	w.reconcile()
	_, known := w.lasts("Ethereum", "USDT")
	require.False(t, known, "nothing was paid")
	w.payout("Ethereum", "USDT", "100", destination)
	w.payout("Ethereum", "USDT", "40", destination)
	w.work()
	w.mine("Ethereum", 4)
	w.folded()    // a transaction of any database of the server puts the end of what is read off
	for range 2 { // the second look counts nothing again
		w.reconcile()
		w.equal("140", w.holding("Ethereum", "USDT").Daily)
	}
	v := w.holding("Ethereum", "USDT")
	days, known := w.lasts("Ethereum", "USDT")
	require.True(t, known)
	require.InEpsilon(t, v.Hot.InexactFloat64()/140, days, 1e-9)

	var gas string
	require.NoError(t, w.db.NewRaw("select sum(amount)::text from postings p join accounts a on a.id = p.to_account where a.name = 'outside:Ethereum' and asset = 'ETH'").
		Scan(t.Context(), &gas))
	w.equal(gas, w.holding("Ethereum", "ETH").Daily) // fees empty the wallet as well

	for ago, daily := range map[string]string{"1 hour": "140", "3 days": "47", "5 days": "28", "167 hours": "20", "7 days": "0"} {
		w.exec("update wallet_paid set hour = now() - ?::interval", ago)
		require.Equal(t, daily, w.holding("Ethereum", "USDT").Daily.Round(0).String(), "%s ago", ago)
	}
	w.exec("update wallet_paid set hour = now() - interval '20 days'")
	_, known = w.lasts("Ethereum", "USDT")
	require.False(t, known, "nothing was paid in the last seven days")
	w.exec("insert into wallet_paid select network, asset, hour + interval '1 day', amount from wallet_paid")
	w.payout("Ethereum", "USDT", "14", destination)
	w.work()
	w.mine("Ethereum", 4)
	w.folded()
	w.equal("2", w.holding("Ethereum", "USDT").Daily)
	require.Equal(t, 2, w.count("select count(*) from wallet_paid where asset = 'USDT'"), "the first hour, and the last")
}

func (w *world) lasts(network, asset string) (float64, bool) {
	w.t.Helper()
	v := w.holding(network, asset)
	return v.LastsDays()
}

// A payout that waits for a person's approval asks the hot wallet for nothing yet, and neither does one under cancellation.
//
// Covers operator §Holdings: causeway_wallet_awaited
func TestWhatWaitsForAPersonIsNotAwaited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "2000")
	w.limit("USDT", "10")
	p := w.payout("Ethereum", "USDT", "60", destination)
	w.equal("60", w.holding("Ethereum", "USDT").Awaited)
	require.False(t, w.holding("Ethereum", "USDT").Seen)
	w.work()
	w.equal("0", w.holding("Ethereum", "USDT").Awaited)
	n, _ := w.registry.Network("Ethereum")
	n.Sender = nil
	desk := &admin.Admin{Store: w.store, Actor: "ops"}
	_, err := desk.ApprovePayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	w.work()
	w.equal("60", w.holding("Ethereum", "USDT").Awaited)
	w.equal("0", w.holding("Ethereum", "USDT").Missing) // what the hot wallet holds is not known
	w.exec("update payouts set cancelling = true")
	w.equal("0", w.holding("Ethereum", "USDT").Awaited)
}

// Reconciliation compares the books also while the amounts taken by payouts cannot be counted.
func TestReconciliationGoesOnWithoutCounting(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "1000")
	w.payout("Ethereum", "USDT", "100", destination)
	w.work()
	w.mine("Ethereum", 4)
	w.reconcile()
	w.exec("drop table wallet_paid")
	w.exec("update sandbox_holdings set amount = amount - 300 where network = 'Ethereum' and token = 'USDT'")
	w.reconcile()
	w.reconcile()
	require.NotEmpty(t, w.reported())
	require.Positive(t, w.count("select count(*) from stopped_assets where asset = 'USDT' and network = 'Ethereum'"))
}
