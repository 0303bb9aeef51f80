package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains/sandbox"
	"causeway/internal/pay"
	"causeway/ledger"
)

// paysBeside pays a token, with coin that comes along and what the network takes of that.
func (w *world) paysBeside(network, token, to, memo, amount, beside, cost string) (txid string) {
	w.t.Helper()
	txid, err := w.chain.Pay(w.t.Context(), sandbox.Payment{Network: network, Token: token, To: to, Memo: memo, Amount: dec(amount),
		Beside: dec(beside), Cost: dec(cost)})
	require.NoError(w.t, err)
	return txid
}

// fees is what the networks have left in the account of network fees, in an asset.
func (w *world) fees(asset string) (sum string) {
	w.t.Helper()
	require.NoError(w.t, w.db.NewRaw(`select coalesce(sum(case when a.id = p.to_account then p.amount else -p.amount end), 0)::float8::text from postings p
		join accounts a on a.id in (p.from_account, p.to_account) where a.name = ? and p.asset = ?`, ledger.NetworkFees, asset).Scan(w.t.Context(), &sum))
	return sum
}

// Coin that comes along with a token is the operator's and no payment, and what the network takes of it is a cost. The books are those of
// the network in each block, after each reorganisation too.
//
// Covers operator §Own addresses: Coin that is no payment
func TestCoinBesideATokenIsBookedExactly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "USDT", "100")
	n, _ := w.registry.Network("Ethereum")
	txid := w.paysBeside("Ethereum", "USDT", p.Wallet, "", "100", "0.05", "0.004")
	w.exact("Ethereum", 2)
	require.Equal(t, "0.046", w.fees("ETH"))
	for _, depth := range []int{1, 2} { // mined again, in another block
		_, err := w.chain.Reorg(t.Context(), "Ethereum", depth)
		require.NoError(t, err)
		w.exact("Ethereum", 1)
		require.Equal(t, "0.046", w.fees("ETH"))
	}
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 8, txid) // gone, and never back
	require.NoError(t, err)
	w.exact("Ethereum", 1)
	require.Equal(t, "0", w.fees("ETH"))
	require.Zero(t, w.count("select count(*) from asides where height is not null"))

	again := w.paysBeside("Ethereum", "USDT", n.HotAddress(), "", "100", "0.05", "0.05") // all of it is taken
	w.exact("Ethereum", 5)
	require.Equal(t, "0", w.fees("ETH"))
	require.Equal(t, 2, w.count("select count(*) from asides where txid = ? and height is not null", again))
	require.Zero(t, w.count("select count(*) from transfers where token = 'ETH' and txid = any(array[?, ?])", txid, again), "no payment")
	require.Zero(t, w.count("select count(*) from unknown_spends"))
}

// At an address shared by payins with memos no memo is asked for: the payment alone has one.
func TestCoinBesideATokenAtASharedAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "TON")
	p := w.memoPayin("TON", "USDT", "12345678")
	w.paysBeside("TON", "USDT", p.Wallet, *p.Memo, "10", "0.05", "0.004")
	w.exact("TON", 5)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.Equal(t, "0.046", w.fees("TON"))
	require.Equal(t, 1, w.count("select count(*) from transfers where status <> 'treasury'"))
}
