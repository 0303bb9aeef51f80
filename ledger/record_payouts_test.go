package ledger_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/ledger"
)

// till decides payouts by the contract, one after the other: record_payouts is held against this model.
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

// itemOf makes an item with the amount as its debit, without fees.
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
	got, err := m.store.RecordPayouts(t.Context(), items) // a rehearsal has taken nothing of them
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

// requireTill asserts the rows, balances, jobs and the day's spending of the model.
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

// TestWhatABalanceCoversTogether: items of one call are paid from the rest left by those before them.
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

// A balance of a merchant without an account yet: it is opened, and the payout is posted to it.
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

// A counter impossible to write, or never let go, refuses the payouts of its key and of no other; none is written
// without its spending.
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
