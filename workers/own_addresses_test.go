package workers_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/ledger"
)

// byHand sends an amount from an address on a network as an operator's own tool does, for a fee of 0.001 of the coin paid by the address.
func (w *world) byHand(network, token, from, to, amount string) (txid string) {
	w.t.Helper()
	n, _ := w.registry.Network(network)
	match, next := n.Addresser.Match(from), uint64(0)
	if n.Counter != nil {
		var err error
		next, err = n.Counter.NextNonce(w.t.Context(), match)
		require.NoError(w.t, err)
	}
	txid = "hand-" + uuid.NewString()
	record, err := json.Marshal(map[string]any{"network": network, "txid": txid, "sender": from, "sender_match": match, "nonce": next,
		"recipient": to, "recipient_match": n.Addresser.Match(to), "memo": "", "token": token, "amount": amount, "fee": handFee})
	require.NoError(w.t, err)
	var answer string
	require.NoError(w.t, w.db.NewRaw("select sandbox_submit(?::jsonb, false)", string(record)).Scan(w.t.Context(), &answer))
	require.Equal(w.t, "sent", answer)
	return txid
}

const handFee = "0.001"

// holdsCoin gives a deposit address the coin of its network for fees by a payin of it, for the books to know all of it.
func (w *world) holdsCoin(p *pay.Payin) {
	w.t.Helper()
	n, _ := w.registry.Network(p.Network)
	w.pays(p.Network, n.Coin, p.Wallet, "1")
	w.mine(p.Network, 4)
}

// gas returns the cost booked of a transaction, and how many entries are about it.
func (w *world) gas(network, txid string) (decimal.Decimal, int) {
	w.t.Helper()
	booked, err := w.store.GasBooked(w.t.Context(), []uuid.UUID{ledger.Gas(network, txid)})
	require.NoError(w.t, err)
	b := booked[ledger.Gas(network, txid)]
	return b.Cost, b.Times
}

// exact mines blocks, and checks after each that the books are those of the network.
func (w *world) exact(network string, blocks int) {
	w.t.Helper()
	for range blocks {
		w.mine(network, 1)
		w.reconcile()
		require.Empty(w.t, w.reported())
	}
}

// An operator's tool moves a deposit on to another deposit address: no merchant is credited, and the fee is booked once.
//
// Covers operator §Own addresses: Moves from one address of ours to another
func TestAMoveByHandIsNoArrival(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	from, to := w.payin("Ethereum", "USDT", "1000"), w.payin("Ethereum", "USDT", "50")
	w.pays("Ethereum", "USDT", from.Wallet, "1000")
	w.holdsCoin(from)
	w.exact("Ethereum", 1)
	txid := w.byHand("Ethereum", "USDT", from.Wallet, to.Wallet, "600")
	w.round() // in the mempool
	for i := range 6 {
		w.exact("Ethereum", 1)
		cost, times := w.gas("Ethereum", txid)
		if i < 3 { // not final
			require.Zero(t, times)
			continue
		}
		w.equal(handFee, cost)
		require.Equal(t, 1, times)
	}
	require.Zero(t, w.count("select count(*) from transfers where txid = ?", txid))
	w.equal("1000", w.balance("USDT").Available)
	require.Equal(t, pay.PayinPending, w.payinNow(to.ID).Status)
	require.Zero(t, w.count("select count(*) from unknown_spends"))
	require.Zero(t, w.count("select count(*) from quiet_holdings"), "money there was seen")

	w.pays("Ethereum", "USDT", to.Wallet, "50") // its payer pays all the same
	w.exact("Ethereum", 4)
	w.equal("1050", w.balance("USDT").Available)
}

// A deposit address pays coin to another, and what is collected by hand costs its fee: the books stay exact.
//
// Covers operator §Own addresses: The fee of a move by hand
func TestCollectingByHandIsBookedExactly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, other := w.payin("Ethereum", "ETH", "2"), w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.exact("Ethereum", 4)
	n, _ := w.registry.Network("Ethereum")
	all := []string{w.byHand("Ethereum", "ETH", p.Wallet, n.HotAddress(), "1")}
	w.exact("Ethereum", 1)
	all = append(all, w.byHand("Ethereum", "ETH", p.Wallet, other.Wallet, "0.5"))
	w.exact("Ethereum", 6)
	for _, txid := range all {
		cost, times := w.gas("Ethereum", txid)
		w.equal(handFee, cost)
		require.Equal(t, 1, times)
	}
	require.Equal(t, 2, w.count("select count(*) from moves_by_hand where cost = ?::numeric", handFee))
	w.equal("2", w.balance("ETH").Available)
}

// A reorganisation takes a move by hand back, with its cost once that is booked; what is mined again is booked again.
func TestAMoveByHandIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	from, to := w.payin("Ethereum", "USDT", "1000"), w.payin("Ethereum", "USDT", "50")
	w.pays("Ethereum", "USDT", from.Wallet, "1000")
	w.holdsCoin(from)
	for _, depth := range []int{2, 6} { // before it is final, and after
		txid := w.byHand("Ethereum", "USDT", from.Wallet, to.Wallet, "100")
		w.exact("Ethereum", depth)
		_, err := w.chain.Reorg(t.Context(), "Ethereum", depth, txid)
		require.NoError(t, err)
		w.work()
		w.reconcile()
		require.Empty(t, w.reported())
		cost, _ := w.gas("Ethereum", txid)
		require.True(t, cost.IsZero())

		again := w.byHand("Ethereum", "USDT", from.Wallet, to.Wallet, "100")
		w.exact("Ethereum", 2)
		_, err = w.chain.Reorg(t.Context(), "Ethereum", 2)
		require.NoError(t, err)
		w.work()
		w.reconcile()
		require.Empty(t, w.reported())
		w.exact("Ethereum", 6)
		cost, times := w.gas("Ethereum", again)
		w.equal(handFee, cost)
		require.Equal(t, 1, times)
	}
}

// Coin from the hot wallet for the fee of a sweep is not its address's merchant's, neither in the mempool nor in a block.
//
// Covers operator §Own addresses: Coin for fees
func TestATopupIsNotCredited(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum") // its fee is for who settles moves to book
	p := w.payin("Ethereum", "ETH", "1")
	n, _ := w.registry.Network("Ethereum")
	txid := w.byHand("Ethereum", "ETH", n.HotAddress(), p.Wallet, "1")
	w.exec("insert into signing_nonces (network, address, next) values ('Ethereum', ?0, 1) on conflict (network, address) do update set next = 1", n.Hot)
	w.exec("insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, state) values ('Ethereum', ?, ?, 'topup', ?, 0, 'x', 'final')",
		txid, uuid.Must(uuid.NewV7()), n.Hot)
	w.round()
	w.mine("Ethereum", 5)
	require.Zero(t, w.count("select count(*) from transfers where txid = ?", txid))
	require.Zero(t, w.count("select count(*) from moves_by_hand"))
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
	require.True(t, w.balance("ETH").Available.IsZero())
}

// A payout to a deposit address is a payin as ever, since its merchant has paid for it.
//
// Covers operator §Own addresses: A payout to a deposit address
func TestAPayoutToADepositAddressIsAPayin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "1000")
	p := w.payin("Ethereum", "USDT", "60")
	w.payout("Ethereum", "USDT", "60", p.Wallet)
	w.work()
	w.exact("Ethereum", 5)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
}

// An operator's tool moves money out of the hot wallet to another address of ours, at a nonce not given out. The wallet stops, since its
// books lack the nonce, but nothing is lost: the resumed wallet pays, and the fee is booked once.
//
// Covers operator §Own addresses: A move by hand out of the hot wallet
func TestAMoveByHandOutOfTheHotWalletIsNoLoss(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payin("Ethereum", "USDT", "9")
	n, _ := w.registry.Network("Ethereum")
	txid := w.byHand("Ethereum", "USDT", n.HotAddress(), p.Wallet, "9")
	w.exact("Ethereum", 6)
	require.Zero(t, w.count("select count(*) from unknown_spends"))
	require.Equal(t, 1, w.count("select count(*) from stopped_wallets"))
	reports, err := w.by("ops").Reports(t.Context())
	require.NoError(t, err)
	require.Empty(t, reports[0].NotYet)
	require.Zero(t, reports[0].Unexplained)
	_, err = w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	cost, times := w.gas("Ethereum", txid)
	w.equal(handFee, cost)
	require.Equal(t, 1, times)
	paid := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	w.exact("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(paid.ID).Status)
	require.True(t, w.payinNow(p.ID).Received.IsZero())
}
