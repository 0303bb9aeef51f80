package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// crowd lets 64 clients record payouts at once until each has made its calls; an error of any call fails the test. A
// call is made again after a race for a reference.
func (w *world) crowd(t *testing.T, calls int, draw func(random *rand.Rand, client, call int) []store.PayoutItem) (outcomes map[string]int) {
	t.Helper()
	return w.crowdBy(t, w.recordAgain, calls, draw)
}

type recording func(context.Context, []store.PayoutItem) ([]store.PayoutOutcome, error)

// crowdBy is crowd with another way to record.
func (w *world) crowdBy(t *testing.T, record recording, calls int, draw func(random *rand.Rand, client, call int) []store.PayoutItem) (outcomes map[string]int) {
	t.Helper()
	var mu sync.Mutex
	var wait sync.WaitGroup
	outcomes = map[string]int{}
	var errs []error
	for client := range 64 {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(2, uint64(client)))
			for call := range calls {
				got, err := record(t.Context(), draw(random, client, call))
				mu.Lock()
				errs = append(errs, err)
				for _, o := range got {
					outcomes[o.Outcome]++
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	require.NoError(t, errors.Join(errs...))
	return outcomes
}

// recordAgain records, again while another call takes one of the references at the same moment.
func (w *world) recordAgain(ctx context.Context, items []store.PayoutItem) ([]store.PayoutOutcome, error) {
	for {
		out, err := w.store.RecordPayouts(ctx, items)
		var refused *pgconn.PgError
		if deadlock := errors.As(err, &refused) && refused.Code == "40P01"; deadlock || !store.IsRace(err) {
			return out, err
		}
	}
}

// TestManyClientsDrainMerchantsExactly: batches over all merchants in any order, from 64 clients: of each merchant exactly
// as many payouts as its funds cover, no deadlock, no overdraft.
//
// Covers addendum §6: No payout takes available below zero
func TestManyClientsDrainMerchantsExactly(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 5)
	asset, amount := w.assets[0], decimal.RequireFromString("0.7")
	for i, m := range w.merchants {
		w.fund(t, m, asset, fmt.Sprint(20+i)) // 28, 30, 31, 32, 34 times 0.7, and a rest
	}
	outcomes := w.crowd(t, 4, func(random *rand.Rand, _, _ int) (items []store.PayoutItem) {
		for range 6 {
			m := w.merchants[random.IntN(len(w.merchants))]
			items = append(items, itemOf(w, m, asset, uuid.NewString(), amount))
		}
		return items
	})
	want := map[string]int{"created": 28 + 30 + 31 + 32 + 34, "insufficient_balance": 64*4*6 - 155}
	require.Equal(t, want, outcomes)
	w.requireSound(t, t)
	for i, m := range w.merchants {
		rest := decimal.NewFromInt(int64(20 + i)).Mod(amount)
		require.True(t, rest.Equal(w.balance(t, t, m, asset).Available))
	}
}

// TestDailyLimitsHoldAtOnce: keys of several merchants in any order, from 64 clients: exactly as much as the limits
// allow.
//
// Covers api-v1 §Limits: Daily limit
func TestDailyLimitsHoldAtOnce(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 3)
	asset, one := w.assets[0], decimal.NewFromInt(1)
	for _, m := range w.merchants {
		w.fund(t, m, asset, "1000000")
	}
	limit, usd := decimal.RequireFromString("100"), decimal.RequireFromString("3")
	outcomes := w.crowd(t, 3, func(random *rand.Rand, _, _ int) (items []store.PayoutItem) {
		for range 5 {
			i := random.IntN(len(w.merchants))
			items = append(items, limited(itemOf(w, w.merchants[i], asset, uuid.NewString(), one), fmt.Sprint("key-", i), limit, usd))
		}
		return items
	})
	require.Equal(t, map[string]int{"created": 3 * 33, "daily_payout_limit_exceeded": 64*3*5 - 99}, outcomes)
	require.Equal(t, 3, w.count(t, "select count(*) from daily_spend where usd = 99"))
}

// TestOneReferenceOncePerMerchant: 64 clients bring the same references at once; each is one payout.
//
// Covers addendum §7: A reference makes at most one payout
func TestOneReferenceOncePerMerchant(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 2)
	asset, one := w.assets[0], decimal.NewFromInt(1)
	for _, m := range w.merchants {
		w.fund(t, m, asset, "1000")
	}
	outcomes := w.crowd(t, 2, func(random *rand.Rand, _, _ int) (items []store.PayoutItem) {
		for _, r := range random.Perm(4) {
			items = append(items, itemOf(w, w.merchants[random.IntN(2)], asset, fmt.Sprint("r", r), one))
		}
		return items
	})
	require.Equal(t, map[string]int{"created": 8, "duplicate": 64*2*4 - 8}, outcomes)
	w.requireSound(t, t)
	for _, m := range w.merchants {
		require.Equal(t, "996", w.balance(t, t, m, asset).Available.String())
	}
}

// TestOneReferenceOnceInTwoAssets: calls without a common balance meet at the reference only: the losing insert is
// undone, and the same call finds the other's payout.
func TestOneReferenceOnceInTwoAssets(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 1)
	m, one := w.merchants[0], decimal.NewFromInt(1)
	assets := []string{w.assets[0], w.assets[0] + " too"}
	for _, asset := range assets {
		w.fund(t, m, asset, "1000")
	}
	const calls = 10
	outcomes := w.crowdBy(t, w.store.RecordPayouts, calls, func(_ *rand.Rand, client, call int) []store.PayoutItem {
		return []store.PayoutItem{itemOf(w, m, assets[client%2], fmt.Sprint("r", call), one)}
	})
	require.Equal(t, map[string]int{"created": calls, "duplicate": 63 * calls}, outcomes)
	left := w.balance(t, t, m, assets[0]).Available.Add(w.balance(t, t, m, assets[1]).Available)
	require.Equal(t, "1990", left.String())
}

// TestPayoutsAndCreditsAtOnce: money comes, is undone and is paid out from all sides at once; nothing deadlocks, and
// the rest is the money in less the money out.
func TestPayoutsAndCreditsAtOnce(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 4)
	asset, one := w.assets[0], decimal.NewFromInt(1)
	var credits sync.WaitGroup
	errs := make([]error, 16)
	for c := range errs {
		credits.Go(func() { errs[c] = w.credits(t.Context(), rand.New(rand.NewPCG(3, uint64(c))), asset) })
	}
	outcomes := w.crowd(t, 3, func(random *rand.Rand, _, _ int) (items []store.PayoutItem) {
		for range 4 {
			items = append(items, itemOf(w, w.merchants[random.IntN(4)], asset, uuid.NewString(), one))
		}
		return items
	})
	credits.Wait()
	require.NoError(t, errors.Join(errs...))
	w.requireSound(t, t)
	sum := decimal.NewFromInt(16 * 10 * 3).Sub(decimal.NewFromInt(int64(outcomes["created"])))
	for _, m := range w.merchants {
		b := w.balance(t, t, m, asset)
		require.False(t, b.Available.IsNegative())
		sum = sum.Sub(b.Total())
	}
	require.True(t, sum.IsZero(), "%s is missing", sum)
}

// credits credits ten times three merchants with 1 each in one call, makes it final, and undoes a fourth.
func (w *world) credits(ctx context.Context, random *rand.Rand, asset string) error {
	for range 10 {
		var entries, final []ledger.Entry
		for n, i := range random.Perm(4) {
			in := newTransfer(w.network, decimal.NewFromInt(1))
			in.Credits, in.Credited, in.Status = 1, in.Amount, pay.TransferCredited
			entries = append(entries, ledger.PayinCredited(w.merchants[i], asset, in))
			if n < 3 {
				final = append(final, ledger.PayinFinalised(w.merchants[i], asset, in))
			} else {
				final = append(final, ledger.PayinReversed(w.merchants[i], asset, in))
			}
		}
		for _, call := range [][]ledger.Entry{entries, final} {
			if _, err := ledger.Post(ctx, w.db, call...); err != nil {
				return err
			}
		}
	}
	return nil
}
