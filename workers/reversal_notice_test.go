package workers_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
)

// payment_reversed equals the record at that moment: amounts have left the balance, with fees given back, while received_amount and
// payments are still credited.
// Covers addendum §13: What payment_reversed tells
// Covers api-v1 §Events: payment_reversed
func TestReversalNoticeIsTheRecord(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, "Litecoin")
	p := w.payin("Litecoin", "LTC", "1", func(p *pay.Payin) { p.PercentRate, p.PaysNetworkFee, p.NetworkFee = dec("1"), true, dec("0.01") })
	w.pays("Litecoin", "LTC", p.Wallet, "0.4")
	w.mine("Litecoin", 8)
	lost := w.pays("Litecoin", "LTC", p.Wallet, "0.6")
	w.mine("Litecoin", 2)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)

	_, err := w.chain.Reorg(ctx, "Litecoin", 3, lost)
	require.NoError(t, err)
	w.round()
	got := w.payinNow(p.ID)
	require.Equal(t, pay.PayinReversed, got.Status)
	var body []byte
	require.NoError(t, w.db.NewRaw("select body from deliveries where subject = ? and event = 'payment_reversed'", p.ID).Scan(ctx, &body))
	var told struct {
		Data struct {
			Status        string
			Received      string `json:"received_amount"`
			PaymentStatus string `json:"payment_status"`
			Payments      []struct{ Amount string }
			Reversal      struct {
				At      string `json:"reversed_at"`
				Partial bool
				Amounts json.RawMessage
			}
		}
	}
	require.NoError(t, json.Unmarshal(body, &told))
	data := told.Data
	require.Equal(t, "reversed", data.Status)
	require.Equal(t, got.Received.String(), data.Received)
	require.Equal(t, "0.4", data.Received)
	require.Equal(t, *got.PaymentStatus(&pay.PayinTransfers{Shown: []pay.Transfer{{Status: pay.TransferCredited}}}), data.PaymentStatus)
	require.Len(t, data.Payments, 1)
	require.Equal(t, "0.4", data.Payments[0].Amount)
	require.True(t, data.Reversal.Partial)
	require.Equal(t, got.ReversedAt.UTC().Format("2006-01-02 15:04:05"), data.Reversal.At)
	require.JSONEq(t, string(got.Reversal), string(data.Reversal.Amounts))
	require.JSONEq(t, `{"LTC":"0.584"}`, string(data.Reversal.Amounts)) // 0.6 less 1 % and 0.01

	var taken string
	err = w.db.NewRaw("select sum(amount) from postings where subject = ? and movement = 'DEPOSIT_REVERSAL'", p.ID).Scan(ctx, &taken)
	require.NoError(t, err)
	w.equal("0.584", dec(taken))
	w.equal("0.386", w.balance("LTC").Total())
}
