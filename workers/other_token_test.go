package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// The account's share of network costs is in the received token, and is this token's own fee if another was asked for.
//
// Covers addendum §6: Payins
func TestNetworkFeeOfAnotherToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked, frozen, on, came, amount, credited string
		pays                                      bool
	}{
		{"USDT", "1.5", "Ethereum", "USDT", "10", "8.5", true},
		{"USDT", "1.5", "Ethereum", "ETH", "1.5", "1.4997", true},
		{"ETH", "0.0001", "Ethereum", "USDC", "5000", "4998", true},
		{"USDT", "1.5", "BinanceSmartChain", "USDT", "10", "9", true},
		{"USDT", "0", "Ethereum", "USDT", "10", "10", true},
		{"USDT", "0", "Ethereum", "ETH", "1.5", "1.4997", true},
		{"USDT", "0", "BinanceSmartChain", "USDT", "10", "9", true},
		{"USDT", "0", "Ethereum", "ETH", "1.5", "1.5", false},
	} {
		w := newWorld(t, "Ethereum", "BinanceSmartChain")
		p := w.payin("Ethereum", c.asked, "3000", func(p *pay.Payin) { p.PaysNetworkFee, p.NetworkFee = c.pays, dec(c.frozen) })
		w.pays(c.on, c.came, p.Wallet, c.amount)
		w.mine(c.on, 4)
		w.equal(c.credited, w.balance(c.came).Total())
	}
}

// Money worth exactly the amount asked for pays it, also where the price turned around has no end.
//
// Covers addendum §8: Another accepted token
func TestExactlyPaidInAnotherToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ asked, amount, came, paid, received string }{
		{"ETH", "0.01", "USDC", "30", "0.01"},
		{"ETH", "0.00259", "USDC", "7.77", "0.00259"},
		{"USDT", "3.33333", "ETH", "0.00111111123", "3.33333"},
	} {
		w := newWorld(t, "Ethereum")
		p := w.payin("Ethereum", c.asked, c.amount)
		w.pays("Ethereum", c.came, p.Wallet, c.paid)
		w.mine("Ethereum", 4)
		got := w.payinNow(p.ID)
		w.equal(c.received, got.Received)
		require.Equal(t, pay.PayinCompleted, got.Status, c.asked)
	}
}

// A credit undone by a reorganisation and brought back counts and costs the same, whatever prices are meanwhile.
//
// Covers addendum §8: A reorganisation
func TestMinedAgainAtAnotherPrice(t *testing.T) {
	t.Parallel()
	for name, prices := range map[string]string{"other": "update prices set price = price * 0.9 where base = 'ETH'",
		"none": "delete from prices where base = 'ETH'"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			minedAgainAt(t, prices)
		})
	}
}

func minedAgainAt(t *testing.T, prices string) {
	t.Helper()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "USDT", "3000", func(p *pay.Payin) { p.PaysNetworkFee, p.NetworkFee = true, dec("2") })
	w.exec("update tokens set network_fee = 3, fee_currency = 'USDT' where symbol = 'ETH' and network = 'Ethereum'")
	w.pays("Ethereum", "ETH", p.Wallet, "1")
	w.mine("Ethereum", 4)
	w.equal("0.999", w.balance("ETH").Total())
	w.exec(prices)
	_, err := w.chain.Reorg(context.Background(), "Ethereum", 6)
	require.NoError(t, err)
	w.work()
	w.mine("Ethereum", 8)
	require.Equal(t, 1, w.count("select count(*) from entries where kind = 'payin_reversed'"))
	got := w.payinNow(p.ID)
	require.Equal(t, pay.PayinCompleted, got.Status)
	w.equal("3000", got.Received)
	w.equal("0.999", w.balance("ETH").Total())
	require.Empty(t, got.Reversal)
}

// An amount too large for the ledger waits for the operator and keeps nothing else of its network waiting; nor can the operator give
// it away.
func TestAmountThatNoLedgerHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, q := w.payin("Ethereum", "ETH", "1"), w.payin("Ethereum", "USDT", "10")
	w.pays("Ethereum", "ETH", p.Wallet, "57896044618658100000000000000000000000000000000000000000000.792003956564819968")
	w.pays("Ethereum", "USDT", q.Wallet, "10")
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
	require.Equal(t, pay.PayinCompleted, w.payinNow(q.ID).Status)

	desk := &admin.Admin{Store: w.store, Actor: "operator"}
	unclaimed, err := desk.Unclaimed(t.Context())
	require.NoError(t, err)
	require.Len(t, unclaimed, 1)
	require.Contains(t, *unclaimed[0].Reason, "above all")
	_, err = desk.AssignUnclaimed(t.Context(), unclaimed[0].ID, w.merchant, false)
	require.ErrorContains(t, err, "it can only be ignored")
	w.reconcile()
	require.Empty(t, w.reported(), "the books hold it all the same")
}

// Nobody is asked about amounts below the ledger's precision: they would hide those worth a decision.
func TestDustIsNotForTheOperator(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "ETH", "1")
	w.pays("Ethereum", "ETH", p.Wallet, "0.000000000000000001")
	w.exec("update tokens set deposits = false where symbol = 'USDC'")
	w.pays("Ethereum", "USDC", p.Wallet, "50000")
	w.mine("Ethereum", 4)
	unclaimed, err := (&admin.Admin{Store: w.store}).Unclaimed(t.Context())
	require.NoError(t, err)
	require.Len(t, unclaimed, 1)
	require.Equal(t, "USDC", unclaimed[0].Token)
	require.Equal(t, 1, w.count("select count(*) from transfers where status = 'ignored'"))
	_, err = w.chain.Reorg(context.Background(), "Ethereum", 6)
	require.NoError(t, err)
	w.work()
	w.mine("Ethereum", 8)
	w.reconcile()
	require.Empty(t, w.reported())
}
