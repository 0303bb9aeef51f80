package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains/sandbox"
	"causeway/internal/pay"
)

// A reorganisation takes two payments back and gives one again: the reversal is of the other alone.
func TestReversalIsWhatIsStillGone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, "Litecoin")
	p := w.payin("Litecoin", "LTC", "1")
	w.pays("Litecoin", "LTC", p.Wallet, "0.4")
	lost := w.pays("Litecoin", "LTC", p.Wallet, "0.6")
	w.mine("Litecoin", 4)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)

	_, err := w.chain.Reorg(ctx, "Litecoin", 6, lost)
	require.NoError(t, err)
	w.work()
	w.mine("Litecoin", 4)
	got := w.payinNow(p.ID)
	require.Equal(t, pay.PayinReversed, got.Status)
	require.NotNil(t, got.ReversedAt)
	require.JSONEq(t, `{"LTC":"0.6"}`, string(got.Reversal))
	w.equal("0.4", got.Received)
	w.equal("0.4", w.balance("LTC").Available)

	_, err = w.chain.Pay(ctx, sandbox.Payment{Network: "Litecoin", Token: "LTC", To: p.Wallet, Amount: dec("0.6"), Txid: lost})
	require.NoError(t, err)
	w.mine("Litecoin", 4)
	got = w.payinNow(p.ID)
	require.Equal(t, pay.PayinCompleted, got.Status)
	require.Nil(t, got.ReversedAt)
	require.Nil(t, got.Reversal)
	w.equal("1", w.balance("LTC").Available)
	require.Equal(t, "payment_confirmed:success", w.receiver.got()[len(w.receiver.got())-1])
}

// The losses of two reorganisations are in one reversal; another payment in their place completes the payin and leaves the reversal
// told.
func TestReversalsAddUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Litecoin")
	p := w.payin("Litecoin", "LTC", "1")
	for _, amount := range []string{"0.4", "0.6"} {
		txid := w.pays("Litecoin", "LTC", p.Wallet, amount)
		w.mine("Litecoin", 2)
		_, err := w.chain.Reorg(context.Background(), "Litecoin", 4, txid)
		require.NoError(t, err)
		w.work()
		w.mine("Litecoin", 4)
	}
	require.JSONEq(t, `{"LTC":"1"}`, string(w.payinNow(p.ID).Reversal))
	w.pays("Litecoin", "LTC", p.Wallet, "1")
	w.mine("Litecoin", 4)
	got := w.payinNow(p.ID)
	require.Equal(t, pay.PayinCompleted, got.Status)
	require.JSONEq(t, `{"LTC":"1"}`, string(got.Reversal))
	w.equal("1", w.balance("LTC").Available)
}

// An ordinary reorganisation takes a part of a payin and gives it again: it leaves the payin as it was, expiry included.
func TestPartMinedAgainWaitsForTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Litecoin")
	p := w.payin("Litecoin", "LTC", "1")
	w.pays("Litecoin", "LTC", p.Wallet, "0.4")
	w.mine("Litecoin", 4)
	_, err := w.chain.Reorg(context.Background(), "Litecoin", 6)
	require.NoError(t, err)
	w.work()
	w.mine("Litecoin", 4)
	got := w.payinNow(p.ID)
	require.Equal(t, pay.PayinPending, got.Status)
	require.Nil(t, got.ReversedAt)
	w.equal("0.4", got.Received)

	_, err = w.db.NewRaw("update payins set expires_at = now() - interval '1 second'").Exec(context.Background())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayinFailed, w.payinNow(p.ID).Status)
	w.equal("0.4", w.balance("LTC").Available)
}

// A merely unclaimed transfer was never the payin's: when a reorganisation mines it again and it is then credited, the payin's
// reversal stays, and tells the sum still gone.
func TestWhatWasNeverCreditedIsNotGivenBack(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(w *world, to, txid string){
		"the same transfer": func(*world, string, string) {},
		"another transfer of its transaction": func(w *world, to, txid string) { // the first is seen again, as the payin's, and not credited
			_, err := w.chain.Reorg(w.t.Context(), "BinanceSmartChain", 4, txid)
			require.NoError(w.t, err)
			w.work()
			_, err = w.chain.Pay(w.t.Context(), sandbox.Payment{Network: "BinanceSmartChain", Token: "USDT", To: to, Amount: dec("100"), Txid: txid})
			require.NoError(w.t, err)
			w.mine("BinanceSmartChain", 1)
			require.Equal(w.t, 1, w.count("select count(*) from transfers where status = 'seen' and payin_id is not null"))
			w.exec("update sandbox_transactions set amount = 99 where network = 'BinanceSmartChain' and amount = 100")
			w.exec("update sandbox_holdings set amount = 99 where network = 'BinanceSmartChain' and amount = 100")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum", "BinanceSmartChain")
			p := w.payin("Ethereum", "USDT", "300")
			gone := w.pays("Ethereum", "USDT", p.Wallet, "100")
			w.mine("Ethereum", 3)
			w.exec("update tokens set active = false where symbol = 'USDT' and network = 'BinanceSmartChain'")
			txid := w.pays("BinanceSmartChain", "USDT", p.Wallet, "100")
			w.mine("BinanceSmartChain", 3)
			require.Equal(t, 1, w.count("select count(*) from transfers where status = 'unclaimed'"))
			w.exec("update tokens set active = true")
			_, err := w.chain.Reorg(t.Context(), "Ethereum", 4, gone)
			require.NoError(t, err)
			w.work()
			w.mine("Ethereum", 5)
			require.JSONEq(t, `{"USDT":"100"}`, string(w.payinNow(p.ID).Reversal))

			again(w, p.Wallet, txid)
			_, err = w.chain.Reorg(t.Context(), "BinanceSmartChain", 4)
			require.NoError(t, err)
			w.work()
			w.mine("BinanceSmartChain", 5)
			got := w.payinNow(p.ID)
			require.True(t, got.Received.IsPositive())
			require.Equal(t, pay.PayinReversed, got.Status)
			require.JSONEq(t, `{"USDT":"100"}`, string(got.Reversal))
		})
	}
}

// An assigned transfer was credited to its payin: a reorganisation mining it again gives it back. Its merchant was told of no first
// transfer when it was assigned, and is told of none afterwards.
//
// Covers addendum §13: Any other unclaimed transfer
func TestAnAssignedTransferIsGivenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.exec("update merchants set wallets_webhook_url = ?", w.receiver.URL+"/fixed")
	wallet := w.wallet("Ethereum", "c")
	w.exec("update wallets set status = 'STATUS_REVOKED'")
	w.pays("Ethereum", "USDT", wallet.Wallet, "40")
	w.mine("Ethereum", 3)
	w.assignsTheOne()
	w.mine("Ethereum", 5)
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 9)
	require.NoError(t, err)
	w.round()
	require.JSONEq(t, `{"USDT":"40"}`, string(w.payinsOf(wallet)[0].Reversal))
	w.mine("Ethereum", 9)
	require.Equal(t, pay.PayinCompleted, w.payinsOf(wallet)[0].Status)
	require.Nil(t, w.payinsOf(wallet)[0].Reversal)
	w.equal("40", w.balance("USDT").Available)
	require.Equal(t, []string{"payment_confirmed:success", "payment_reversed:reversed", "payment_confirmed:success"}, w.receiver.events("/fixed"))
}
