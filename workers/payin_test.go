package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
)

// Covers api-v1 §Payin: pending
// Covers api-v1 §POST /v1/payin: minimum_payment percent
// Covers addendum §8: A transfer is *detected*
// Covers api-v1 §Limits: minimum_payment
// Covers api-v1 §What the service does: Payins
func TestPayinPaidInTwoParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "25", func(p *pay.Payin) { p.PercentRate = dec("1") })

	w.pays("Tron", "USDT", p.Wallet, "10.5")
	w.mine("Tron", 1)
	require.Equal(t, []string{"payment_detected:pending"}, w.receiver.got())
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
	w.equal("0", w.balance("USDT").Total())

	w.mine("Tron", 1)
	w.equal("10.395", w.balance("USDT").Locked)
	w.equal("10.5", w.payinNow(p.ID).Received)

	w.pays("Tron", "USDT", p.Wallet, "14.5")
	w.mine("Tron", 2)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.Equal(t, []string{"payment_detected:pending", "payment_confirmed:success"}, w.receiver.got())

	w.mine("Tron", 2)
	w.equal("24.75", w.balance("USDT").Available)
	w.equal("0", w.balance("USDT").Locked)
}

// One unit below the minimum does not complete a payin; the minimum itself does, and is still a part.
//
// Covers api-v1 §Payin: pending
// Covers api-v1 §Account summary: minimum_payment
// Covers api-v1 §POST /v1/payin: minimum_payment percent
// Covers addendum §8: What comes later
func TestMinimumPaymentCompletesAPayin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "200", func(p *pay.Payin) { p.MinimumPayment = dec("95.5") })
	w.pays("Tron", "USDT", p.Wallet, "190.999999")
	w.mine("Tron", 2)
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
	w.pays("Tron", "USDT", p.Wallet, "0.000001")
	w.mine("Tron", 2)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.Equal(t, "partial", *w.payinNow(p.ID).PaymentStatus(&pay.PayinTransfers{Shown: []pay.Transfer{{Status: pay.TransferCredited}}}))
	require.Equal(t, []string{"payment_detected:pending", "payment_confirmed:success"}, w.receiver.got())

	w.pays("Tron", "USDT", p.Wallet, "10")
	w.mine("Tron", 4)
	w.equal("201", w.payinNow(p.ID).Received)
	require.Equal(t, "overpaid", *w.payinNow(p.ID).PaymentStatus(&pay.PayinTransfers{Shown: []pay.Transfer{{Status: pay.TransferFinal}}}))
	w.equal("201", w.balance("USDT").Available)
	require.Len(t, w.receiver.got(), 2)
}

// Covers addendum §8: At expires_at with less
// Covers addendum §8: What comes later
func TestPayinExpiresAndIsPaidLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	p := w.payin("Bitcoin", "BTC", "0.5", func(p *pay.Payin) { p.ExpiresAt = time.Now().Add(-time.Second) })
	w.work()
	require.Equal(t, pay.PayinFailed, w.payinNow(p.ID).Status)
	w.pays("Bitcoin", "BTC", p.Wallet, "0.5")
	w.mine("Bitcoin", 4)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.Equal(t, []string{"payment_failed:failed", "payment_detected:failed", "payment_confirmed:success"}, w.receiver.got())
	w.equal("0.5", w.balance("BTC").Available)
}

// Covers addendum §8: At expires_at with less
func TestSeenTransferHoldsTheExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "ETH", "1")
	w.pays("Ethereum", "ETH", p.Wallet, "1")
	w.work()
	_, err := w.db.NewRaw("update payins set expires_at = now() - interval '1 second'").Exec(context.Background())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
	w.mine("Ethereum", 2)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
}

// Covers addendum §8: A reorganisation
// Covers api-v1 §Payin: completed
func TestReorganisationReversesAndRepeatsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Solana")
	ctx := context.Background()
	p := w.payin("Solana", "SOL", "3")
	txid := w.pays("Solana", "SOL", p.Wallet, "3")
	w.mine("Solana", 3)
	w.equal("3", w.balance("SOL").Locked)

	_, err := w.chain.Reorg(ctx, "Solana", 4, txid)
	require.NoError(t, err)
	w.work()
	got := w.payinNow(p.ID)
	require.Equal(t, pay.PayinReversed, got.Status)
	require.JSONEq(t, `{"SOL":"3"}`, string(got.Reversal))
	w.equal("0", w.balance("SOL").Total())
	require.Equal(t, "payment_reversed:reversed", w.receiver.got()[2])
}

// Covers addendum §8: A reorganisation
func TestReminedTransferIsOneNewCredit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Litecoin")
	p := w.payin("Litecoin", "LTC", "3")
	w.pays("Litecoin", "LTC", p.Wallet, "3")
	w.mine("Litecoin", 6)
	w.equal("3", w.balance("LTC").Available)
	for range 2 {
		_, err := w.chain.Reorg(context.Background(), "Litecoin", 8)
		require.NoError(t, err)
		w.work()
		w.mine("Litecoin", 4)
		w.equal("3", w.balance("LTC").Available)
		require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	}
}

// Covers addendum §8: Another accepted token
func TestOtherTokenAtTheSameAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum", "Base")
	p := w.payin("Ethereum", "USDT", "3000")
	w.pays("Base", "ETH", p.Wallet, "1.000000000000000001")
	w.mine("Base", 4)
	got := w.payinNow(p.ID)
	require.Equal(t, pay.PayinCompleted, got.Status)
	w.equal("3000", got.Received)
	w.equal("1", w.balance("ETH").Available)
	w.equal("0", w.balance("USDT").Total())
}

// A payin of which something was refunded before it was completed is completed by nothing that comes later: its merchant would have less
// than it says. What comes is credited all the same.
//
// Covers api-v1 §Refunds: A payin of which something is refunded
func TestGivenBackCompletesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "10")
	w.pays("Tron", "USDT", p.Wallet, "6")
	w.mine("Tron", 4)
	w.equal("6", w.payinNow(p.ID).Received)
	came, err := w.store.Refundable(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, came, 1)
	w.equal("6", came[0].Left())
	payout := uuid.Must(uuid.NewV7())
	added, err := w.store.AddRefund(t.Context(), &pay.Refund{ID: uuid.Must(uuid.NewV7()), MerchantID: p.MerchantID, PayinID: p.ID, ReferenceID: "refund", Network: "Tron",
		Token: "USDT", Amount: dec("6"), PayoutID: &payout})
	require.NoError(t, err)
	require.True(t, added)
	w.pays("Tron", "USDT", p.Wallet, "4")
	w.mine("Tron", 4)
	after := w.payinNow(p.ID)
	w.equal("10", after.Received)
	require.Equal(t, pay.PayinPending, after.Status)
}
