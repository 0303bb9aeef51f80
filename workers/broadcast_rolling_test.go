package workers_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

// sets sets a limit as an operator does.
func (w *world) sets(l admin.NewLimit) {
	w.t.Helper()
	_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).SetPayoutLimit(w.t.Context(), w.merchant, l)
	require.NoError(w.t, err)
}

// payouts records n payouts of an amount.
func (w *world) payouts(n int, network, amount, to string) (out []*pay.Payout) {
	w.t.Helper()
	for range n {
		out = append(out, w.payout(network, "USDT", amount, to))
	}
	return out
}

// sent counts the payouts with their network.
func (w *world) sent(payouts ...*pay.Payout) (n int) {
	w.t.Helper()
	for _, p := range payouts {
		if w.payoutNow(p.ID).Status == pay.PayoutSent {
			n++
		}
	}
	return n
}

// A large payout in parts is as large as a whole one: twenty of 2.5 do not pass an approval limit of 5, however long they wait. Later
// requests pass once the hour is over, and an approved payout does not count.
//
// Covers operator §Console: A limit of an hour or a day
func TestALargePayoutInPartsWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	a := &admin.Admin{Store: w.store, Actor: "ann"}
	w.fund("Ethereum", "USDT", "200")
	w.sets(admin.NewLimit{Unit: "USDT", Above: "5"})
	parts := w.payouts(20, "Ethereum", "2.5", destination)
	w.work()
	require.Equal(t, 2, w.sent(parts...))
	waiting, err := a.Waiting(t.Context())
	require.NoError(t, err)
	require.Len(t, waiting, 18)
	require.Equal(t, "payouts of the last hour are above the limit of 5 USDT", waiting[0].Why)

	w.exec("update payout_windows set minute = minute - interval '62 minutes'")
	w.work()
	require.Equal(t, 2, w.sent(parts...), "they wait for a person, and not for time")
	_, err = a.ApprovePayout(t.Context(), waiting[0].ID.String())
	require.NoError(t, err)
	later := append(w.payouts(1, "Ethereum", "5", destination), w.payout("Ethereum", "USDT", "2.5", destination))
	w.work()
	require.Equal(t, 3, w.sent(parts...))
	require.Equal(t, []int{1, 0}, []int{w.sent(later[0]), w.sent(later[1])})

	w.exec(`insert into payout_windows select merchant_id, unit, place, minute + interval '62 minutes', spent from payout_windows
		where minute < now() - interval '1 hour' on conflict (merchant_id, unit, place, minute) do update set spent = payout_windows.spent + excluded.spent`)
	w.sets(admin.NewLimit{Unit: "USDT", Above: "15", Per: store.PerHour}) // 10 of them signed without an approval
	w.work()
	require.Equal(t, 4+2, w.sent(append(parts, later...)...), "those that waited are compared again")
}

// Many signers on several networks never sign more than a limit together, and no less.
//
// Covers operator §Console: A limit of an hour or a day
func TestALimitOfAnHourIsExactForManySigners(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum", "Polygon")
	w.fund("Ethereum", "USDT", "300")
	w.sets(admin.NewLimit{Unit: "USDT", Above: "25", Per: store.PerHour})
	all := append(w.payouts(20, "Ethereum", "2.5", destination), w.payouts(20, "Polygon", "2.5", evmDestination)...)
	var together sync.WaitGroup
	for _, p := range all {
		w.exec("update jobs set run_at = now() where ref = ?", p.ID)
	}
	due, err := w.store.TakeDue(t.Context(), nil, 10000, tasks.Visibility)
	require.NoError(t, err)
	for _, j := range due {
		together.Go(func() {
			_ = w.workers.Do(t.Context(), tasks.Job{Kind: tasks.Kind(j.Kind), Ref: j.Ref, Attempt: j.Attempt})
		})
	}
	together.Wait()
	require.LessOrEqual(t, w.sent(all...), 10)
	w.work()
	require.Equal(t, 10, w.sent(all...))
}

// A limit of one address counts all spellings of it, and no other address.
//
// Covers operator §Console: A limit of an hour or a day
func TestALimitOfOneAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Polygon")
	w.fund("Polygon", "USDT", "200")
	w.sets(admin.NewLimit{Unit: "USD", Above: "6", Per: store.PerDay, PerAddress: true})
	first := w.payout("Polygon", "USDT", "5", evmDestination)
	w.work()
	again, other := w.payout("Polygon", "USDT", "5", strings.ToLower(evmDestination)), w.payout("Polygon", "USDT", "5", otherEVM)
	w.work()
	require.Equal(t, []int{1, 0, 1}, []int{w.sent(first), w.sent(again), w.sent(other)})
	approval, err := w.store.ApprovalOf(t.Context(), again.ID)
	require.NoError(t, err)
	require.Equal(t, "payouts to its address of the last day are above the limit of 6 USD", approval.Why)
}

// A new limit counts earlier signatures, as far back as it looks, and clearing it lets the payouts waiting for it go on.
//
// Covers operator §Console: A limit of an hour or a day
func TestALimitCountsWhatWasSignedBeforeIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "200")
	old := w.payouts(3, "Ethereum", "10", destination)
	w.work()
	require.Equal(t, 3, w.sent(old...))
	w.exec("update signed_transactions set signed_at = signed_at - interval '25 hours' where payout_id = ?", old[0].ID)
	day := admin.NewLimit{Unit: "USDT", Above: "25", Per: store.PerDay}
	w.sets(day)
	fits := w.payout("Ethereum", "USDT", "5", destination)
	w.work()
	over := w.payout("Ethereum", "USDT", "1", destination)
	w.work()
	require.Equal(t, []int{1, 0}, []int{w.sent(fits), w.sent(over)})
	a := &admin.Admin{Store: w.store, Actor: "ann"}
	_, err := a.ClearPayoutLimit(t.Context(), w.merchant, admin.NewLimit{Unit: "USDT", Per: store.PerHour})
	require.ErrorAs(t, err, new(admin.Refusal), "there is none of an hour")
	_, err = a.ClearPayoutLimit(t.Context(), w.merchant, day)
	require.NoError(t, err)
	w.work()
	require.Equal(t, 1, w.sent(over))
}

// Two addresses of EVM networks.
const (
	evmDestination = "0x52908400098527886E0F7030069857D2E4169EE7"
	otherEVM       = "0x713b5b91dc828a57ea7d9097a2f6e0bf5c1fea08"
)
