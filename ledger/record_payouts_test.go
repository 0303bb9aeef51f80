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
	"pgregory.net/rapid"

	"causeway/internal/testkit"
	"causeway/ledger"
	"causeway/pay"
	"causeway/store"
)

// till decides payouts as the contract says, one after the other: the model that record_payouts is held against.
type till struct {
	*world
	funds map[purse]decimal.Decimal
	spent map[string]decimal.Decimal // by key, of those with a limit
	known map[string]uuid.UUID       // merchant and reference -> payout
}

func (m *till) decide(item store.PayoutItem) store.PayoutOutcome {
	p := item.Payout
	k, name := purse{p.MerchantID, p.Asset}, p.MerchantID.String()+p.ReferenceID
	out := store.PayoutOutcome{Outcome: "created", Available: m.funds[k]}
	original, again := m.known[name]
	switch {
	case p.Debit.GreaterThan(m.funds[k]):
		out.Outcome = "insufficient_balance"
	case item.DailyLimit != nil && m.spent[p.KeyID].Add(*item.USD).GreaterThan(*item.DailyLimit):
		out.Outcome = "daily_payout_limit_exceeded"
	case again:
		out.Outcome, out.OriginalID = "duplicate", &original
	default:
		m.funds[k], m.known[name] = m.funds[k].Sub(p.Debit), p.ID
		if item.DailyLimit != nil {
			m.spent[p.KeyID] = m.spent[p.KeyID].Add(*item.USD)
		}
	}
	return out
}

// itemOf makes an item whose debit is the amount, without fees.
func itemOf(w *world, merchant uuid.UUID, asset, reference string, amount decimal.Decimal) store.PayoutItem {
	p := newPayout(w, merchant, asset)
	p.ReferenceID, p.Amount, p.Debit = reference, amount, amount
	return store.PayoutItem{Payout: p, HoldDigest: ledger.PayoutHeld(p).Digest}
}

// limited gives an item's key a daily limit.
func limited(item store.PayoutItem, key string, limit, usd decimal.Decimal) store.PayoutItem {
	item.Payout.KeyID, item.DailyLimit, item.USD = key, &limit, &usd
	return item
}

// TestPayoutsAreDecidedOneByOne: whatever a call holds, its items are decided as if they had come one after the other.
func TestPayoutsAreDecidedOneByOne(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	rapid.Check(t, func(rt *rapid.T) {
		m := &till{world: newWorld(rt, t, db, 3), funds: map[purse]decimal.Decimal{}, spent: map[string]decimal.Decimal{},
			known: map[string]uuid.UUID{}}
		for _, merchant := range m.merchants {
			amount := decimal.New(rapid.Int64Range(1, 4000).Draw(rt, "funds"), -2)
			m.fund(t, merchant, m.assets[0], amount.String())
			m.funds[purse{merchant, m.assets[0]}] = amount
		}
		for range rapid.IntRange(1, 3).Draw(rt, "calls") {
			m.call(rt, t)
		}
		m.requireTill(rt, t)
	})
}

func (m *till) call(rt *rapid.T, t *testing.T) {
	var items []store.PayoutItem
	var want []store.PayoutOutcome
	taken := map[string]bool{}
	limits := rapid.Bool().Draw(rt, "limits") // one daily limit has the whole call decided one by one
	for range rapid.IntRange(1, 12).Draw(rt, "items") {
		item := m.drawItem(rt, limits)
		name := item.Payout.MerchantID.String() + item.Payout.ReferenceID
		if taken[name] { // the recorder never puts a reference into one call twice
			continue
		}
		taken[name] = true
		out := m.decide(item)
		out.Ord = len(items)
		items, want = append(items, item), append(want, out)
	}
	rehearsed, err := m.store.RehearsePayouts(t.Context(), items)
	require.NoError(rt, err)
	m.requireDecided(rt, want, rehearsed)
	got, err := m.store.RecordPayouts(t.Context(), items) // of which a rehearsal has taken nothing
	require.NoError(rt, err)
	m.requireDecided(rt, want, got)
}

func (m *till) requireDecided(rt *rapid.T, want, got []store.PayoutOutcome) {
	require.Len(rt, got, len(want))
	for i := range want {
		require.Equal(rt, want[i].Ord, got[i].Ord)
		require.Equal(rt, want[i].Outcome, got[i].Outcome, "item %d", i)
		require.True(rt, want[i].Available.Equal(got[i].Available), "item %d was decided on %s, not %s", i, got[i].Available, want[i].Available)
		require.Equal(rt, want[i].OriginalID, got[i].OriginalID)
	}
}

func (m *till) drawItem(rt *rapid.T, limits bool) store.PayoutItem {
	i := rapid.IntRange(0, len(m.merchants)-1).Draw(rt, "merchant")
	asset := m.assets[rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(rt, "asset")]
	reference := fmt.Sprint("r", rapid.IntRange(1, 30).Draw(rt, "reference"))
	item := itemOf(m.world, m.merchants[i], asset, reference, decimal.New(rapid.Int64Range(1, 1500).Draw(rt, "amount"), -2))
	if limits && rapid.Bool().Draw(rt, "limited") {
		usd := decimal.New(rapid.Int64Range(0, 1000).Draw(rt, "usd"), -2)
		item = limited(item, fmt.Sprint(m.network, "-limited-", i), decimal.NewFromInt(15), usd)
	}
	return item
}

// requireTill asserts that rows, balances, jobs and the day's spending are those of the model.
func (m *till) requireTill(rt *rapid.T, t *testing.T) {
	m.requireSound(rt, t)
	for k, want := range m.funds {
		require.True(rt, want.Equal(m.balance(rt, t, k.merchant, k.asset).Available))
	}
	require.Equal(rt, len(m.known), m.count(t, "select count(*) from payouts where network = ?", m.network))
	require.Equal(rt, len(m.known), m.count(t, `select count(*) from payouts p join jobs j on j.ref = p.id and j.kind = 'payout.broadcast'
		where p.network = ? and p.status = 'queued'`, m.network))
	for key, want := range m.spent {
		var got decimal.Decimal
		require.NoError(rt, m.db.NewRaw("select sum(usd) from daily_spend where key_id = ?", key).Scan(t.Context(), &got))
		require.True(rt, want.Equal(got), "%s has spent %s, not %s", key, got, want)
	}
}

// TestWhatABalanceCoversTogether: items of one call are paid from what those before them have left.
func TestWhatABalanceCoversTogether(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 3)
	usual, other := w.assets[0], w.assets[0]+" too"
	for i, c := range []struct {
		assets, amounts, outcomes []string
	}{
		{[]string{usual, usual}, []string{"6", "6"}, []string{"created of 10", "insufficient_balance of 4"}},
		{[]string{usual, usual}, []string{"5", "5"}, []string{"created of 10", "created of 5"}},
		{[]string{usual, other}, []string{"6", "6"}, []string{"created of 10", "created of 10"}},
	} {
		m := w.merchants[i]
		w.fund(t, m, usual, "10")
		w.fund(t, m, other, "10")
		var items []store.PayoutItem
		for j, amount := range c.amounts {
			items = append(items, itemOf(w, m, c.assets[j], fmt.Sprint("r", j), decimal.RequireFromString(amount)))
		}
		got, err := w.store.RecordPayouts(t.Context(), items)
		require.NoError(t, err)
		for j, want := range c.outcomes {
			require.Equal(t, want, got[j].Outcome+" of "+got[j].Available.String())
		}
	}
	w.requireSound(t, t)
}

// A balance whose merchant has no account yet: it is opened, and the payout is posted to it.
func TestThePayersAccountIsOpened(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 2)
	m, asset := w.merchants[0], w.assets[0]
	w.fund(t, w.merchants[1], asset, "10")
	_, err := w.store.RecordPayouts(t.Context(), []store.PayoutItem{itemOf(w, w.merchants[1], asset, "r", decimal.NewFromInt(1))})
	require.NoError(t, err) // the platform's account is there
	_, err = w.db.ExecContext(t.Context(), "insert into balances (merchant_id, asset, available) values (?, ?, 10)", m, asset)
	require.NoError(t, err)
	got, err := w.store.RecordPayouts(t.Context(), []store.PayoutItem{itemOf(w, m, asset, "r", decimal.NewFromInt(6))})
	require.NoError(t, err)
	require.Equal(t, "created", got[0].Outcome)
	require.Equal(t, 1, w.count(t, `select count(*) from postings p join accounts a on a.id = p.from_account
		where a.merchant_id = ? and a.pocket = 'available' and p.amount = 6`, m))
}

func TestAReferenceTwiceInOneCallWritesNothing(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 1)
	m, asset := w.merchants[0], w.assets[0]
	w.fund(t, m, asset, "100")
	one := decimal.NewFromInt(1)
	_, err := w.store.RecordPayouts(t.Context(), []store.PayoutItem{itemOf(w, m, asset, "r", one), itemOf(w, m, asset, "r", one)})
	require.True(t, store.IsRace(err), "%v", err)
	require.Zero(t, w.count(t, "select count(*) from payouts"))
	require.Equal(t, "100", w.balance(t, t, m, asset).Available.String())
}

// crowd lets 64 clients record payouts at once until each has made its calls; an error of any call fails the test. A
// call that raced for a reference is made again.
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

// TestDailyLimitsHoldAtOnce: keys of several merchants in any order, from 64 clients: exactly what the limits allow.
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

// A counter that cannot be written, or that is not let go, refuses the payouts of its key and of no other; none is
// written without its spending.
func TestACounterThatIsAwayStopsItsKeyAlone(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 4)
	asset, one := w.assets[0], decimal.NewFromInt(1)
	limit := decimal.NewFromInt(10)
	must := func(query string, args ...any) {
		t.Helper()
		_, err := w.db.ExecContext(t.Context(), query, args...)
		require.NoError(t, err)
	}
	for _, m := range w.merchants {
		w.fund(t, m, asset, "100")
	}
	must(`create function broken() returns trigger language plpgsql as $$ begin raise exception 'broken by the test'; end $$`)
	must(`create trigger broken before insert or update on daily_spend for each row when (new.key_id = 'broken') execute function broken()`)
	must(`insert into daily_spend (key_id, day, usd) values ('held', (now() at time zone 'UTC')::date, 0)`)
	holder, err := w.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = holder.ExecContext(t.Context(), `select from daily_spend where key_id = 'held' for update`)
	require.NoError(t, err)

	var items []store.PayoutItem
	for i, key := range []string{"held", "broken", "sound"} {
		items = append(items, limited(itemOf(w, w.merchants[i], asset, key, one), key, limit, one))
	}
	poor := limited(itemOf(w, w.merchants[1], asset, "poor", decimal.NewFromInt(101)), "broken", limit, one)
	items = append(items, itemOf(w, w.merchants[3], asset, "unlimited", one), poor)
	got, err := w.store.RecordPayouts(t.Context(), items)
	require.NoError(t, err)
	for i, want := range []string{"daily_payout_limit_unavailable", "daily_payout_limit_unavailable", "created", "created", "insufficient_balance"} {
		require.Equal(t, want, got[i].Outcome, "item %d", i)
	}
	require.NoError(t, holder.Rollback())
	must(`drop trigger broken on daily_spend`)
	got, err = w.store.RecordPayouts(t.Context(), items[:3])
	require.NoError(t, err)
	for i, want := range []string{"created", "created", "duplicate"} {
		require.Equal(t, want, got[i].Outcome, "item %d, again", i)
	}
	require.Equal(t, 3, w.count(t, "select count(*) from daily_spend where usd = 1"))
	require.Equal(t, 4, w.count(t, "select count(*) from payouts"))
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

// TestOneReferenceOnceInTwoAssets: calls that share no balance meet at the reference only: the insert
// that loses is undone, and the same call finds the other's payout.
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

// TestPayoutsAndCreditsAtOnce: money comes, is undone and is paid out from all sides at once; nothing deadlocks, and what
// is left is what came less what went.
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
