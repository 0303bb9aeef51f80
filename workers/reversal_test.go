package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains/sandbox"
	"causeway/pay"
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

// What two reorganisations took is in one reversal; another payment in their place completes the payin and leaves it told.
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

// A part of a payin that an ordinary reorganisation takes and gives again leaves the payin as it was, expiry included.
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
