package workers_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// caps sets the signer's caps of USDT on Ethereum; empty is none.
func (w *world) caps(payout, hour, day string) {
	w.t.Helper()
	of := func(text string) *decimal.Decimal {
		if text == "" {
			return nil
		}
		return new(dec(text))
	}
	n, _ := w.registry.Network("Ethereum")
	n.Caps = map[string]chains.Cap{"USDT": {Payout: of(payout), Hour: of(hour), Day: of(day)}}
}

// A payout over the signer's cap is not signed, whoever approves it, and is shown; those under it go on, and so does it when the cap is
// raised where the signer is.
//
// Covers operator §Settings: caps are the signer's own
func TestAPayoutOverTheSignersCapWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "200")
	w.caps("49.99", "", "")
	large, small := w.payout("Ethereum", "USDT", "50", destination), w.payout("Ethereum", "USDT", "49.99", destination)
	_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).ApprovePayout(t.Context(), large.ID.String())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(large.ID).Status)
	require.Equal(t, pay.PayoutSent, w.payoutNow(small.ID).Status)
	told := w.needs("1 payout waits, over the signer's cap of 49.99 USDT for one payout on Ethereum")
	require.Len(t, told, 1)
	require.Equal(t, "payouts/"+large.ID.String(), told[0].Page)
	w.caps("50", "", "")
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(large.ID).Status)
	require.Empty(t, w.needs("over the signer's cap"))
	w.mine("Ethereum", 4)
}

// The caps of an hour and a day add up all signatures. Emptying their table makes no room while the signer runs.
//
// Covers operator §Settings: caps are the signer's own
func TestCapsOfAnHourAndADay(t *testing.T) {
	t.Parallel()
	for span, set := range map[string]func(*world){
		"an hour": func(w *world) { w.caps("", "100", "1000") },
		"a day":   func(w *world) { w.caps("", "1000", "100") },
	} {
		t.Run(span, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "500")
			set(w)
			for range 2 {
				p := w.payout("Ethereum", "USDT", "50", destination)
				w.work()
				require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
			}
			third := w.payout("Ethereum", "USDT", "1", destination)
			w.work()
			require.Equal(t, pay.PayoutQueued, w.payoutNow(third.ID).Status)
			require.Len(t, w.needs("over the signer's cap of 100 USDT for "+span+" on Ethereum"), 1)
			w.exec("delete from capped_spend")
			w.work()
			require.Equal(t, pay.PayoutQueued, w.payoutNow(third.ID).Status, "this process has signed 100")
			w.workers = w.another()
			w.exec("insert into capped_spend values ('Ethereum', 'USDT', date_trunc('minute', now() - interval '30 minutes'), 99.5)")
			w.work()
			require.Equal(t, pay.PayoutQueued, w.payoutNow(third.ID).Status, "others have")
			w.exec("update capped_spend set minute = minute - interval '25 hours'")
			w.work()
			require.Equal(t, pay.PayoutSent, w.payoutNow(third.ID).Status)
			w.mine("Ethereum", 4)
		})
	}
}
