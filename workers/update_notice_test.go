package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
)

// updates returns the payment_updated notices, as "reason status received payment_status finality amounts".
func (w *world) updates() (out []string) {
	w.t.Helper()
	for _, n := range w.receiver.at("") {
		if n.Event != "payment_updated" {
			continue
		}
		line := ""
		for _, field := range []string{"reason", "status", "received_amount", "payment_status", "finality_status"} {
			line += n.Data[field].(string) + " "
		}
		for _, t := range n.Data["transfers"].([]any) {
			line += t.(map[string]any)["amount"].(string)
		}
		out = append(out, line)
	}
	return out
}

// Covers api-v1 §Payment updates: payment_updated tells
// Covers api-v1 §Payment updates: It is sent for each step
// Covers api-v1 §Payment updates: reason is partial
// Covers api-v1 §Payment updates: Finality is told
func TestEveryCreditAndFinalityIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "25")
	w.pays("Tron", "USDT", p.Wallet, "10")
	w.mine("Tron", 2)
	require.Equal(t, []string{"partial pending 10 partial pending 10"}, w.updates())
	w.mine("Tron", 2)
	require.Equal(t, "final pending 10 partial final 10", w.updates()[1])

	w.pays("Tron", "USDT", p.Wallet, "15")
	w.mine("Tron", 2)
	require.Len(t, w.updates(), 2) // payment_confirmed says it
	w.pays("Tron", "USDT", p.Wallet, "25")
	w.mine("Tron", 2)
	require.Equal(t, "overpaid success 50 overpaid pending 25", w.updates()[2])
	w.mine("Tron", 2)
	require.Equal(t, "final success 50 overpaid final 25", w.updates()[3])
	require.Len(t, w.updates(), 4)
}

// A first payment after the expiry is told with the record's status of then, and completes nothing.
//
// Covers api-v1 §Payment updates: No webhook says
// Covers api-v1 §Payment updates: payment_detected has
func TestLatePartIsToldAsFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "25")
	w.expires(p)
	w.pays("Tron", "USDT", p.Wallet, "10")
	w.mine("Tron", 4)
	require.Equal(t, []string{"payment_failed:failed", "payment_detected:failed", "payment_updated:failed", "payment_updated:failed"}, w.receiver.everything(""))
	require.Equal(t, []string{"late failed 10 partial pending 10", "final failed 10 partial final 10"}, w.updates())
	detected := w.receiver.at("")[1].Data
	require.Equal(t, "10", detected["detected_amount"])
	require.Equal(t, "0", detected["received_amount"])
	require.Equal(t, "10", detected["unconfirmed_payments"].([]any)[0].(map[string]any)["amount"])
}

// A payment seen, credited and completed by one step is told as the record is after it.
//
// Covers api-v1 §Payment updates: No webhook says
func TestDetectedAndConfirmedByOneStepSayTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "25")
	w.pays("Tron", "USDT", p.Wallet, "25")
	_, err := w.chain.Mine(t.Context(), "Tron", 2)
	require.NoError(t, err)
	w.work()
	require.Equal(t, []string{"payment_detected:success", "payment_confirmed:success"}, w.receiver.everything(""))
	for _, n := range w.receiver.at("") {
		require.Equal(t, "25", n.Data["received_amount"])
	}
}

// A loss by a reorganisation, given back, is told, also when the payin was never completed.
//
// Covers addendum §13: What payment_reversed tells
func TestACreditAfterAReversalIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Litecoin")
	p := w.payin("Litecoin", "LTC", "5")
	w.pays("Litecoin", "LTC", p.Wallet, "3")
	w.mine("Litecoin", 3)
	_, err := w.chain.Reorg(t.Context(), "Litecoin", 5)
	require.NoError(t, err)
	w.mine("Litecoin", 2)
	updates := w.updates()
	require.Equal(t, "partial pending 3 partial pending 3", updates[0])
	require.Equal(t, "partial pending 3 partial final 3", updates[1])
	require.Contains(t, w.receiver.everything(""), "payment_reversed:reversed")
}

// Covers operator §Admin: payment_updated is sent
func TestUpdatesAreMutedForAMerchant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	desk := &admin.Admin{Store: w.store, Actor: "operator"}
	view, err := desk.UpdateMerchant(t.Context(), w.merchant, admin.MerchantChange{PaymentUpdated: new(false)})
	require.NoError(t, err)
	require.False(t, view.PaymentUpdated)
	p := w.payin("Tron", "USDT", "25")
	w.pays("Tron", "USDT", p.Wallet, "10")
	w.mine("Tron", 4)
	require.Equal(t, []string{"payment_detected:pending"}, w.receiver.everything(""))
	w.equal("10", w.payinNow(p.ID).Received)
	w.equal("10", w.balance("USDT").Available)
	_, err = desk.UpdateMerchant(t.Context(), w.merchant, admin.MerchantChange{PaymentUpdated: new(true)})
	require.NoError(t, err)
	w.pays("Tron", "USDT", p.Wallet, "10")
	w.mine("Tron", 2)
	require.Equal(t, []string{"partial pending 20 partial pending 10"}, w.updates())
}

// Many transfers of one payin in one step are one webhook.
//
// Covers api-v1 §Payment updates: It is sent for each step
func TestCreditsOfOneStepAreOneUpdate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "25")
	for range 3 {
		w.pays("Tron", "USDT", p.Wallet, "2")
	}
	w.mine("Tron", 2)
	require.Equal(t, []string{"partial pending 6 partial pending 222"}, w.updates())
}
