package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains/sandbox"
	"causeway/internal/pay"
	"causeway/tasks"
)

// forgets deletes all webhooks that have ended, as if they had ended long ago.
func (w *world) forgets() {
	w.t.Helper()
	w.exec(`update deliveries set id = overlay(id::text placing '00' from 1 for 2)::uuid, finished_at = finished_at - interval '40 days'
		where status <> 'pending'`)
	var ended int
	require.NoError(w.t, w.db.NewRaw("select count(*) from deliveries where status <> 'pending'").Scan(context.Background(), &ended))
	gone, err := w.worker.ForgetDeliveries(context.Background(), 30, 1000)
	require.NoError(w.t, err)
	require.Equal(w.t, ended, gone)
}

// Payments to a payin are decided and told as before when the webhooks about it are deleted: a first transfer is told once, and a payin
// that was told as failed is failed again once a lost payment is back.
func TestLatePaymentsAfterTheWebhooksAreDeleted(t *testing.T) {
	t.Parallel()
	type outcome struct {
		told   []string
		status pay.PayinStatus
	}
	var got [2]outcome
	for i, forgets := range []bool{false, true} {
		w := newWorld(t, "Litecoin")
		forget := func() {
			if forgets {
				w.forgets()
			}
		}
		p := w.payin("Litecoin", "LTC", "1")
		w.expires(p)
		w.work()
		forget()
		lost := w.pays("Litecoin", "LTC", p.Wallet, "0.4")
		w.mine("Litecoin", 4)
		forget()
		_, err := w.chain.Reorg(t.Context(), "Litecoin", 6, lost)
		require.NoError(t, err)
		w.work()
		w.mine("Litecoin", 4)
		require.Equal(t, pay.PayinReversed, w.payinNow(p.ID).Status)
		forget()
		_, err = w.chain.Pay(t.Context(), sandbox.Payment{Network: "Litecoin", Token: "LTC", To: p.Wallet, Amount: dec("0.4"), Txid: lost})
		require.NoError(t, err)
		w.mine("Litecoin", 4)
		got[i] = outcome{w.receiver.everything(""), w.payinNow(p.ID).Status}
	}
	require.Equal(t, got[0], got[1])
	require.Equal(t, pay.PayinFailed, got[1].status)
	require.Contains(t, got[1].told, "payment_reversed:reversed")
	require.Equal(t, []string{"payment_failed:failed", "payment_detected:failed"}, got[1].told[:2])
	require.NotContains(t, got[1].told[2:], "payment_detected:failed")
}

// A payin whose payment was confirmed without a first transfer of its own being told is told of no first transfer later.
func TestAConfirmedPayinIsNotDetectedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Litecoin")
	p := w.payin("Litecoin", "LTC", "1")
	w.pays("Litecoin", "LTC", p.Wallet, "1")
	w.mine("Litecoin", 4)
	w.exec("delete from deliveries where event = 'payment_detected'")
	w.forgets()
	w.receiver.clear()
	w.pays("Litecoin", "LTC", p.Wallet, "0.5")
	w.mine("Litecoin", 4)
	require.NotEmpty(t, w.receiver.everything(""))
	require.Empty(t, w.receiver.events(""))
}

// The periodic cleanup deletes webhooks if it is told for how long they are kept, and none without that.
//
// Covers operator §Settings: Webhooks that have ended
func TestCleanupDeletesOldWebhooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Litecoin")
	w.expires(w.payin("Litecoin", "LTC", "1"))
	w.work()
	w.expires(w.payin("Litecoin", "LTC", "2"))
	w.work()
	w.exec("update deliveries set id = overlay(id::text placing '00' from 1 for 2)::uuid, finished_at = now() - interval '29 days 23 hours'")
	w.exec("update deliveries set finished_at = now() - interval '30 days 1 hour' where id in (select id from deliveries order by id limit 1)")
	for _, c := range []struct{ days, left int }{{0, 2}, {30, 1}, {30, 1}} {
		w.workers.Upkeep.WebhooksKept = c.days
		w.exec("update jobs set run_at = now() - interval '1 second' where kind = ?", tasks.Cleanup)
		due, err := w.store.TakeDue(t.Context(), []string{string(tasks.Cleanup)}, 1, tasks.Visibility)
		require.NoError(t, err)
		require.Len(t, due, 1)
		w.doAll(due)
		require.Equal(t, c.left, w.count("select count(*) from deliveries"), "kept for %d days", c.days)
	}
}
