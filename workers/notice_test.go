package workers_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/tasks"
)

// Covers addendum §8: Webhooks of a payin go
// Covers api-v1 §Events: Webhooks of a payin or payout
// Covers api-v1 §Events: payment_reversed
func TestPayinsTellTheirOwnAddress(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, "Litecoin")
	w.exec("update merchants set wallets_webhook_url = ?", w.receiver.URL+"/fixed")
	at := func(path string) func(*pay.Payin) {
		return func(p *pay.Payin) { p.WebhookURL = w.receiver.URL + path }
	}
	paid, late := w.payin("Litecoin", "LTC", "3", at("/paid")), w.payin("Litecoin", "LTC", "1", at("/late"))
	w.exec("update payins set expires_at = now() - interval '1 second' where id = ?", late.ID)
	txid := w.pays("Litecoin", "LTC", paid.Wallet, "3")
	w.mine("Litecoin", 3)
	_, err := w.chain.Reorg(ctx, "Litecoin", 4, txid)
	require.NoError(t, err)
	w.work()
	require.Equal(t, []string{"payment_detected:pending", "payment_confirmed:success", "payment_reversed:reversed"}, w.receiver.events("/paid"))
	require.Equal(t, []string{"payment_failed:failed"}, w.receiver.events("/late"))
	require.Empty(t, w.receiver.at("/fixed"))

	wallet := w.wallet("Litecoin", "customer-7")
	w.pays("Litecoin", "LTC", wallet.Wallet, "1")
	w.mine("Litecoin", 3)
	fields := func(n note) []string { return slices.Sorted(maps.Keys(n.Data)) }
	for i, n := range w.receiver.at("/fixed") {
		require.Equal(t, true, n.Data["is_wallet_fixed"])
		require.Equal(t, fields(n), fields(w.receiver.at("/paid")[i]))
	}
	for _, n := range w.receiver.at("/paid") {
		require.Equal(t, false, n.Data["is_wallet_fixed"])
		require.Equal(t, paid.ReferenceID, n.Data["reference_id"])
		_, err := time.Parse(time.DateTime, n.Timestamp)
		require.NoError(t, err)
	}
	require.Len(t, w.receiver.at("/fixed"), 2)
}

// A change and its delivery are one transaction: when the delivery cannot be written, nothing has happened.
//
// Covers addendum §11: A delivery is written
func TestNoChangeWithoutItsDelivery(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.exec(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no delivery today'; end $$`)
	w.exec("create trigger refuse before insert on deliveries for each row execute function refuse()")

	payin, expired := w.payin("Ethereum", "USDT", "5"), w.payin("Ethereum", "USDT", "6")
	w.exec("update payins set expires_at = now() - interval '1 second' where id = ?", expired.ID)
	payout := w.payout("Ethereum", "USDT", "50", destination)
	w.pays("Ethereum", "USDT", payin.Wallet, "5")
	w.mine("Ethereum", 4)
	require.Equal(t, pay.PayinPending, w.payinNow(payin.ID).Status)
	require.Equal(t, pay.PayinPending, w.payinNow(expired.ID).Status)
	require.Equal(t, pay.PayoutSent, w.payoutNow(payout.ID).Status)
	w.equal("48.5", w.balance("USDT").Total())
	require.Empty(t, w.receiver.got())

	w.exec("drop trigger refuse on deliveries")
	w.mine("Ethereum", 4)
	w.equal("53.5", w.balance("USDT").Total())
	require.ElementsMatch(t, []string{"payment_detected:success", "payment_confirmed:success", "payment_failed:failed", "payment_processed:success"},
		w.receiver.got())
}

// Covers addendum §11: What belongs to one payin
// Covers api-v1 §Events: 1
func TestDeliveriesOfOnePayinKeepTheirOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	dead := w.payin("Ethereum", "USDT", "5", func(p *pay.Payin) { p.WebhookURL = w.receiver.URL + "/dead" })
	live := w.payin("Ethereum", "USDT", "6", func(p *pay.Payin) { p.WebhookURL = w.receiver.URL + "/live" })
	w.receiver.answers("/dead", 500)
	w.pays("Ethereum", "USDT", dead.Wallet, "5")
	w.pays("Ethereum", "USDT", live.Wallet, "6")
	w.mine("Ethereum", 4)
	require.Equal(t, []string{"payment_detected:pending", "payment_confirmed:success"}, w.receiver.events("/live"))
	tries := w.receiver.at("/dead")
	require.Greater(t, len(tries), 1)
	for _, n := range tries {
		require.Equal(t, "payment_detected", n.Event)
		require.Equal(t, tries[0].Delivery, n.Delivery)
	}
	w.receiver.answers("/dead", 200)
	w.work()
	events := w.receiver.events("/dead")
	require.Equal(t, []string{"payment_detected:pending", "payment_confirmed:success"}, events[len(tries):])
}

// A silent receiver keeps its own delivery waiting and no other.
//
// Covers addendum §11: What belongs to one payin
func TestASlowReceiverHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	ctx := context.Background()
	slow := w.payin("Ethereum", "USDT", "5", func(p *pay.Payin) { p.WebhookURL = w.receiver.URL + "/slow" })
	answer := make(chan struct{})
	w.receiver.stuck["/slow"] = answer
	ended := make(chan error, 1)
	w.expires(slow)
	due, err := w.store.TakeDue(ctx, []string{string(tasks.DeliverWebhook)}, 10, tasks.Visibility)
	require.NoError(t, err)
	require.Len(t, due, 1)
	go func() {
		ended <- w.workers.Do(ctx, tasks.Job{Kind: tasks.DeliverWebhook, Ref: due[0].Ref, Attempt: due[0].Attempt})
	}()
	testkit.Eventually(t, time.Minute, func() bool { return len(w.receiver.at("/slow")) == 1 }, "the slow receiver has it")

	quick := w.payin("Ethereum", "USDT", "6", func(p *pay.Payin) { p.WebhookURL = w.receiver.URL + "/quick" })
	w.pays("Ethereum", "USDT", quick.Wallet, "6")
	w.mine("Ethereum", 3)
	require.Equal(t, []string{"payment_detected:pending", "payment_confirmed:success"}, w.receiver.events("/quick"))
	close(answer)
	require.NoError(t, <-ended)
}

// expires lets a payin's time be long over, and leaves the delivery about it due.
func (w *world) expires(p *pay.Payin) {
	w.t.Helper()
	w.exec("update payins set expires_at = now() - interval '1 hour' where id = ?", p.ID)
	ref := tasks.RefOf(string(tasks.ExpirePayins))
	w.exec("update jobs set run_at = now() - interval '1 second' where ref = ?", ref)
	due, err := w.store.TakeDue(context.Background(), []string{string(tasks.ExpirePayins)}, 1, tasks.Visibility)
	require.NoError(w.t, err)
	require.NoError(w.t, w.workers.Do(context.Background(), tasks.Job{Kind: tasks.ExpirePayins, Ref: ref, Attempt: due[0].Attempt}))
	w.exec("update jobs set run_at = now() - interval '1 second' where kind = ?", tasks.DeliverWebhook)
}
