package workers_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// coldOf returns a network and its cold address as people write it.
func (w *world) coldOf(network string) (*chains.Network, string) {
	w.t.Helper()
	n, _ := w.registry.Network(network)
	written, err := n.Addresser.Validate(n.Cold)
	require.NoError(w.t, err)
	return n, written
}

// treasuryOn sums the operator's own money of an asset.
func (w *world) treasuryOn(asset string) decimal.Decimal {
	w.t.Helper()
	all, err := w.store.Purses(w.t.Context())
	require.NoError(w.t, err)
	for _, p := range all {
		if p.Account == ledger.Treasury && p.Asset == asset {
			return p.Amount
		}
	}
	return decimal.Zero
}

// undoesExactly reorganises a network, and checks that the books are its again.
func (w *world) undoesExactly(network string, depth int, drop ...string) {
	w.t.Helper()
	_, err := w.chain.Reorg(w.t.Context(), network, depth, drop...)
	require.NoError(w.t, err)
	w.work()
	w.exact(network, 1)
}

// A configured cold address is opened with its holdings, which are the operator's money from then on. A reorganisation of that block opens
// it again.
//
// Covers operator §Own addresses: A new cold address
func TestAColdAddressIsOpened(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, cold := w.coldOf("Ethereum")
	match := n.Cold
	n.Cold = ""
	w.exec("delete from cold_addresses")
	begun := w.treasuryOn("USDT")
	w.pays("Ethereum", "USDT", cold, "500")
	w.exact("Ethereum", 2)
	require.Equal(t, begun.String(), w.treasuryOn("USDT").String())

	n.Cold = match
	w.exact("Ethereum", 1)
	require.Equal(t, begun.Add(dec("500")).String(), w.treasuryOn("USDT").String())
	w.pays("Ethereum", "USDT", cold, "7")
	w.exact("Ethereum", 1)
	w.undoesExactly("Ethereum", 4)
	require.Equal(t, 1, w.count("select count(*) from cold_addresses where height is not null"))
	w.exact("Ethereum", 5)
	require.Equal(t, begun.Add(dec("507")).String(), w.treasuryOn("USDT").String())

	n.Cold = "" // a former cold address counts as ours
	w.pays("Ethereum", "USDT", cold, "3")
	w.exact("Ethereum", 4)
	require.Equal(t, begun.Add(dec("510")).String(), w.treasuryOn("USDT").String())
	w.equal("510", w.paidTo("Ethereum", cold))
}

// Money to a cold address is the treasury's, and what the operator sends from there to the hot wallet stays it. The fee is booked once.
//
// Covers operator §Own addresses: Money that comes to a cold address
func TestAColdAddressIsFundedAndRefills(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, cold := w.coldOf("Ethereum")
	begun := w.treasuryOn("USDT")
	paid := w.pays("Ethereum", "USDT", cold, "90")
	w.pays("Ethereum", "ETH", cold, "1")
	w.exact("Ethereum", 1)
	w.undoesExactly("Ethereum", 1)
	w.exact("Ethereum", 4)
	require.Equal(t, 1, w.count("select count(*) from transfers where txid = ? and status = 'treasury'", paid))
	require.Equal(t, begun.Add(dec("90")).String(), w.treasuryOn("USDT").String())

	hot := w.paidTo("Ethereum", n.Hot)
	txid, err := w.chain.Refill(t.Context(), "Ethereum", "USDT", dec("40"))
	require.NoError(t, err)
	w.exact("Ethereum", 2)
	w.undoesExactly("Ethereum", 2)
	w.exact("Ethereum", 6)
	require.Equal(t, hot.Add(dec("40")).String(), w.paidTo("Ethereum", n.Hot).String())
	require.Zero(t, w.count("select count(*) from transfers where txid = ?", txid))
	require.Zero(t, w.count("select count(*) from unknown_spends"))
	cost, times := w.gas("Ethereum", txid)
	require.True(t, cost.IsPositive())
	require.Equal(t, 1, times)
	require.Equal(t, begun.Add(dec("90")).String(), w.treasuryOn("USDT").String())
	v := w.holding("Ethereum", "USDT")
	w.equal("0", v.Deposits)
	w.equal("50", v.Cold)
}

// An operator withdraws from the cold address: the hot wallet goes on, also with a payout of the same to the same, and wallet assign books
// the withdrawal with its fee.
//
// Covers operator §Own addresses: An amount that leaves a cold address
func TestAWithdrawalFromTheColdAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	_, cold := w.coldOf("Ethereum")
	w.pays("Ethereum", "USDT", cold, "90")
	w.pays("Ethereum", "ETH", cold, "1")
	w.fund("Ethereum", "USDT", "100")
	begun := w.treasuryOn("USDT")
	gone := w.byHand("Ethereum", "USDT", cold, destination, "20")
	w.exact("Ethereum", 2)
	w.undoesExactly("Ethereum", 3, gone)
	require.Zero(t, w.count("select count(*) from moves_by_hand where height is not null"))
	_, err := w.by("ops").DismissSpend(t.Context(), "Ethereum", gone)
	require.NoError(t, err)

	txid := w.byHand("Ethereum", "USDT", cold, destination, "20")
	w.exact("Ethereum", 1)
	w.undoesExactly("Ethereum", 1)
	p := w.payout("Ethereum", "USDT", "20", destination)
	w.work()
	w.exact("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Zero(t, w.count("select count(*) from stopped_wallets"))
	require.Zero(t, w.count("select count(*) from stopped_assets"))
	require.Equal(t, begun.String(), w.treasuryOn("USDT").String(), "nobody has booked it")

	listed, err := w.store.LostSpends(t.Context())
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.NotEmpty(t, listed[0].Sender)
	u, err := w.ofNobody(txid)
	require.NoError(t, err)
	require.Equal(t, store.SpendIgnored, *u.Decision)
	require.Equal(t, begun.Sub(dec("20")).String(), w.treasuryOn("USDT").String())
	cost, times := w.gas("Ethereum", txid)
	w.equal(handFee, cost)
	require.Equal(t, 1, times)
	w.exact("Ethereum", 2)
}
