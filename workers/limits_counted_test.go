package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// setsAnother sets a limit far above everything, as an operator changes limits beside the one in question.
func (w *world) setsAnother() {
	w.sets(admin.NewLimit{Unit: "EUR", Above: "1000000", Per: store.PerHour})
}

// clears clears a limit as an operator does.
func (w *world) clears(l admin.NewLimit) {
	w.t.Helper()
	_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).ClearPayoutLimit(w.t.Context(), w.merchant, l)
	require.NoError(w.t, err)
}

// priced makes the price of USDT in USD a feed's, of some time ago.
func (w *world) priced(ago string) {
	w.exec(`insert into prices (base, quote, price, source, updated_at) values ('USDT', 'USD', 1, 'x', now() - ?::interval)
		on conflict (base, quote) do update set price = 1, source = 'x', pinned = false, updated_at = excluded.updated_at`, ago)
}

// A payout to an X-address counts for its address, whether the limit was set before it or after it, and whatever limit is set next.
//
// Covers operator §Console: A limit of an hour or a day
func TestLimitsAreSetWithoutForgettingASpelling(t *testing.T) {
	t.Parallel()
	const x = "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ"
	to := admin.NewLimit{Unit: "XRP", Above: "25", Per: store.PerHour, PerAddress: true}
	for name, first := range map[string]bool{"before": true, "after": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ripple")
			w.fund("Ripple", "XRP", "200")
			if first {
				w.sets(to)
			}
			a := w.payout("Ripple", "XRP", "20", x)
			w.work()
			require.Equal(t, pay.PayoutSent, w.payoutNow(a.ID).Status)
			if first {
				w.setsAnother()
			} else {
				w.sets(to)
			}
			for _, spelling := range []string{x, addresses.Match("Ripple", x)} {
				b := w.payout("Ripple", "XRP", "20", spelling)
				w.work()
				require.Equal(t, pay.PayoutQueued, w.payoutNow(b.ID).Status, spelling)
			}
		})
	}
}

// What was counted stays counted if another limit is set while the price is missing. Counted anew without a price, it is above every
// limit, until the limit is set again with one.
//
// Covers operator §Console: A limit of an hour or a day
func TestLimitsAreSetWithoutAPrice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "200")
	usd := admin.NewLimit{Unit: "USD", Above: "25", Per: store.PerHour}
	w.priced("0 minutes")
	w.sets(usd)
	one := w.payout("Ethereum", "USDT", "20", destination)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(one.ID).Status)

	w.priced("20 minutes") // the feed is silent
	w.setsAnother()
	w.priced("0 minutes")
	two := w.payout("Ethereum", "USDT", "20", destination)
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(two.ID).Status)

	w.priced("20 minutes")
	w.clears(usd)
	w.sets(usd)
	w.priced("0 minutes")
	small := w.payout("Ethereum", "USDT", "2", destination)
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(small.ID).Status)
	w.sets(usd)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(small.ID).Status)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(two.ID).Status)
}

// A limit counts by the time of the first signature. The age of the request, the row's last change and its status say nothing.
//
// Covers operator §Console: A limit of an hour or a day
func TestALimitCountsByTheTimeOfSigning(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"an old request":     "update payouts set created_at = now() - interval '30 days'",
		"a row said to rest": "update payouts set updated_at = now() - interval '30 days'",
		"a row put back":     "update payouts set status = 'queued', cancelling = true",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorldThatMayDiffer(t, "Ethereum")
			w.fund("Ethereum", "USDT", "200")
			one := w.payout("Ethereum", "USDT", "20", destination)
			w.work()
			require.Equal(t, pay.PayoutSent, w.payoutNow(one.ID).Status)
			w.exec(change)
			w.sets(admin.NewLimit{Unit: "USDT", Above: "25", Per: store.PerDay})
			two := w.payout("Ethereum", "USDT", "20", destination)
			w.work()
			require.Equal(t, pay.PayoutQueued, w.payoutNow(two.ID).Status)
		})
	}
}

// A sum that no limit needs is not kept up. A limit needing it later counts it anew.
//
// Covers operator §Console: A limit of an hour or a day
func TestALimitSetAgainCountsWhatWasSignedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "200")
	day := admin.NewLimit{Unit: "USDT", Above: "25", Per: store.PerDay}
	w.setsAnother()
	w.sets(day)
	w.clears(day)
	one := w.payout("Ethereum", "USDT", "20", destination)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(one.ID).Status)
	w.sets(day)
	two := w.payout("Ethereum", "USDT", "20", destination)
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(two.ID).Status)
}

// A price coming between the count of a group and its comparison lets nothing pass uncounted.
//
// Covers operator §Console: A limit of an hour or a day
func TestAPriceThatComesAfterTheCountLetsNothingPass(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "200")
	w.sets(admin.NewLimit{Unit: "USD", Above: "25", Per: store.PerHour})
	p := w.payout("Ethereum", "USDT", "20", destination)
	w.priced("20 minutes")
	w.exec("select count_payouts(array[?::uuid], array['x'])", p.ID)
	w.priced("0 minutes")
	require.Equal(t, 1, w.count("select count(*) from payouts_over_limits(array[?::uuid], array['x'], true) where windowed", p.ID))
}
