package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"pgregory.net/rapid"

	"causeway/internal/dev/testkit"
	"causeway/ledger"
)

// TestAnyHistoryAddsUp posts any events in calls of any size, with earlier ones repeated among them and within a call:
// repeats change nothing, and merchants have balances by the rules.
func TestAnyHistoryAddsUp(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	rapid.Check(t, func(rt *rapid.T) {
		b := &business{world: newWorld(rt, t, db, 3), funds: map[purse]ledger.Balance{}}
		rt.Repeat(map[string]func(*rapid.T){
			"post": func(rt *rapid.T) { b.call(rt, t) },
			"forge": func(rt *rapid.T) {
				if len(b.past) > 0 {
					b.forge(rt, t)
				}
			},
		})
		b.requireSound(rt, t)
		for k, want := range b.funds {
			got := b.balance(rt, t, k.merchant, k.asset)
			require.True(rt, want.Available.Equal(got.Available) && want.Locked.Equal(got.Locked), "%v has %v", want, got)
		}
		held := decimal.Zero
		for _, p := range b.payouts {
			held = held.Add(p.Debit)
		}
		inLedger := b.account(rt, t, ledger.PayoutsHeld, b.assets[0]).Add(b.account(rt, t, ledger.PayoutsHeld, b.assets[1]))
		require.True(rt, held.Equal(inLedger), "%s is held for open payouts of %s", inLedger, held)
	})
}

// call posts one to four new events together with repeats of earlier ones and of its own.
func (b *business) call(rt *rapid.T, t *testing.T) {
	fresh := rapid.IntRange(1, 4).Draw(rt, "new")
	var entries []ledger.Entry
	for range fresh {
		e := b.draw(rt)
		b.past = append(b.past, e)
		entries = append(entries, e.entry)
		for range rapid.IntRange(0, 2).Draw(rt, "repeats") {
			entries = append(entries, b.past[rapid.IntRange(0, len(b.past)-1).Draw(rt, "again")].entry)
		}
	}
	require.Equal(rt, fresh, b.post(rt, t, entries...))
}

// forge posts other money under a known reference, beside a new event: nothing of the call is written.
func (b *business) forge(rt *rapid.T, t *testing.T) {
	known := b.past[rapid.IntRange(0, len(b.past)-1).Draw(rt, "known")].entry
	funded := newTransfer(b.network, amounts(8).Draw(rt, "amount"))
	other := ledger.TreasuryFunded(b.assets[0], funded)
	other.Reference = known.Reference
	if bytes.Equal(other.Digest, known.Digest) {
		return // the same money is drawn again: nothing is forged
	}
	honest := ledger.TreasuryFunded(b.assets[0], newTransfer(b.network, decimal.NewFromInt(1)))
	before := b.account(rt, t, ledger.Treasury, b.assets[0])
	_, err := ledger.Post(t.Context(), b.db, honest, other)
	require.ErrorIs(rt, err, ledger.ErrReferenceTaken)
	require.True(rt, before.Equal(b.account(rt, t, ledger.Treasury, b.assets[0])))
}

// TestConcurrentPostsTakeEffectOnce posts the same history from 64 sides at once, each in an order of its own and in calls of its own
// size: each event takes effect once, and nobody waits for each other for ever.
func TestConcurrentPostsTakeEffectOnce(t *testing.T) {
	t.Parallel()
	const clients = 64
	b := &business{world: oneWorld(t, 4), funds: map[purse]ledger.Balance{}}
	history := rapid.Custom(func(rt *rapid.T) int {
		for range 60 {
			b.past = append(b.past, b.draw(rt))
		}
		return len(b.past)
	})
	require.Equal(t, 60, history.Example(1))

	var wait sync.WaitGroup
	errs, fresh := make([]error, clients), make([]int, clients)
	for c := range clients {
		wait.Go(func() { fresh[c], errs[c] = b.replay(t.Context(), rand.New(rand.NewPCG(1, uint64(c)))) })
	}
	wait.Wait()
	require.NoError(t, errors.Join(errs...))
	sum := 0
	for _, n := range fresh {
		sum += n
	}
	require.Equal(t, len(b.past), sum, "each entry is new to one client")
	b.requireSound(t, t)
	for k, want := range b.funds {
		got := b.balance(t, t, k.merchant, k.asset)
		require.True(t, want.Available.Equal(got.Available) && want.Locked.Equal(got.Locked), "%v has %v", want, got)
	}
}

// replay posts the whole past in calls of one to five entries. The entries of a call are in the order of the past, as
// those of every caller are: calls sharing several references in another order than each other could wait in a ring.
func (b *business) replay(ctx context.Context, random *rand.Rand) (fresh int, err error) {
	order := random.Perm(len(b.past))
	for len(order) > 0 {
		n := min(len(order), 1+random.IntN(5))
		chosen := map[int]bool{}
		for _, i := range order[:n] {
			chosen[i] = true
		}
		order = order[n:]
		var entries []ledger.Entry
		for i := range b.past {
			if chosen[i] {
				entries = append(entries, b.past[i].entry)
			}
		}
		added, err := ledger.Post(ctx, b.db, entries...)
		if err != nil {
			return fresh, err
		}
		fresh += added
	}
	return fresh, nil
}

// TestOneReferenceTwoWaysAtOnce lets clients race for a reference with different money: one amount wins, and clients
// with the other learn of it.
func TestOneReferenceTwoWaysAtOnce(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 1)
	for range 20 {
		p := newPayout(w, w.merchants[0], w.assets[0])
		var wait sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			mine := *p
			mine.Amount = decimal.NewFromInt(int64(1 + i%2))
			wait.Go(func() { _, errs[i] = ledger.Post(t.Context(), w.db, ledger.PayoutHeld(&mine)) })
		}
		wait.Wait()
		refused := [2]int{}
		for i, err := range errs {
			if err != nil {
				refused[i%2]++
			}
		}
		require.Contains(t, [][2]int{{0, 4}, {4, 0}}, refused, "refused of either amount: %v", errors.Join(errs...))
	}
	w.requireSound(t, t)
}

// TestStatementsAreInTheOrderOfTheBalance: if a transaction begins earlier and posts later, since it waited for the
// balance, it is the later one on the statement too. The newest line of the statement then has the present balance.
func TestStatementsAreInTheOrderOfTheBalance(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 1)
	w.fund(t, w.merchants[0], w.assets[0], "100")
	slow, err := w.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = slow.Rollback() }()
	_, err = slow.ExecContext(t.Context(), "select now()")
	require.NoError(t, err)

	for _, db := range []bun.IDB{w.db, slow} {
		p := newPayout(w, w.merchants[0], w.assets[0])
		p.Amount, p.Debit = decimal.NewFromInt(3), decimal.NewFromInt(3)
		_, err = ledger.Post(t.Context(), db, ledger.PayoutHeld(p))
		require.NoError(t, err)
	}
	require.NoError(t, slow.Commit())
	lines, _, err := ledger.SearchMovements(t.Context(), w.db, ledger.StatementFilter{Merchant: w.merchants[0]}, 1, 1)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	has := w.balance(t, t, w.merchants[0], w.assets[0])
	require.True(t, lines[0].BalanceAfter.Equal(has.Available), "%s on the newest line, %s there", lines[0].BalanceAfter, has.Available)
	w.requireSound(t, t)
}

func TestNothingIsEverChangedOrRemoved(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 1)
	w.fund(t, w.merchants[0], w.assets[0], "5")
	for _, statement := range []string{
		"update postings set amount = amount + 1", "delete from postings", "truncate postings", "truncate postings, entries cascade",
		"update entries set turn = turn + 1", "delete from entries where false", "truncate entries cascade",
	} {
		_, err := w.db.ExecContext(t.Context(), statement)
		var refused *pgconn.PgError
		require.True(t, errors.As(err, &refused) && refused.Code == "23001", "%s: %v", statement, err)
	}
	require.Equal(t, 2, w.count(t, "select count(*) from postings where asset = ?", w.assets[0]))
}

// TestTheDatabaseRefusesBadAmounts: amounts not above zero, and movements finer than the ledger, are refused by the
// database too, from any writer.
func TestTheDatabaseRefusesBadAmounts(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 1)
	m := w.merchants[0]
	for name, p := range map[string]ledger.Posting{
		"negative":       {From: ledger.Fees, To: ledger.Dust, Asset: "X", Amount: decimal.NewFromInt(-1)},
		"zero":           {From: ledger.Fees, To: ledger.Dust, Asset: "X"},
		"finer movement": {From: ledger.Fees, To: ledger.Available(m), Asset: "X", Amount: decimal.New(1, -9), Movement: ledger.Deposit, Subject: m},
	} {
		entry := ledger.Entry{Reference: ledger.Reference{Kind: "gas_spent", Subject: ledger.Named(name)}, Postings: []ledger.Posting{p}}
		_, err := ledger.Post(t.Context(), w.db, entry)
		require.Error(t, err, name)
	}
	_, err := ledger.Post(t.Context(), w.db, ledger.Entry{Reference: ledger.Reference{Kind: "payin_credited", Subject: m}, Postings: []ledger.Posting{
		{From: ledger.Fees, To: ledger.Dust, Asset: "X", Amount: decimal.NewFromInt(1)},
		{From: ledger.Fees, To: ledger.Available(m), Asset: "X", Amount: decimal.NewFromInt(1), Movement: ledger.Deposit, Subject: m}}})
	require.ErrorContains(t, err, "is not listed with the first posting")
	const raw = `select post(array[gen_random_uuid()], array['gas_spent']::entry_kind[], array[0], array['']::bytea[], array[1], array[1],
		array['platform:fees'], array['platform:dust'], array['X'], array[?]::numeric[], array[''], array[gen_random_uuid()], array[''], array[''])`
	for _, amount := range []string{"0", "-1", "NaN", "Infinity"} {
		_, err := w.db.NewRaw(raw, amount).Exec(t.Context())
		var refused *pgconn.PgError
		require.True(t, errors.As(err, &refused) && refused.Code == "23514", "%s: %v", amount, err)
	}
	require.Zero(t, w.count(t, "select count(*) from entries"))
}

// TestAnEntryHasRoomForItsPostings: a posting's number is made of its entry's and its place there; there are fifteen
// places.
func TestAnEntryHasRoomForItsPostings(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 1)
	long := ledger.Entry{Reference: ledger.Reference{Kind: "gas_spent", Subject: ledger.Named("long")}, Digest: []byte{}}
	for range 15 {
		long.Postings = append(long.Postings, ledger.Posting{From: ledger.Fees, To: ledger.Dust, Asset: "X", Amount: decimal.NewFromInt(1)})
	}
	require.Equal(t, 2, w.post(t, t, long, ledger.TreasuryOpened("Net", "evm 1", "X", decimal.NewFromInt(1))))
	require.Equal(t, 15, w.count(t, "select count(*) from postings p join entries e on e.id = p.id / 16 where e.subject = ?", long.Subject))
	long.Postings, long.Subject = append(long.Postings, long.Postings[0]), ledger.Named("longer")
	_, err := ledger.Post(t.Context(), w.db, long)
	require.ErrorContains(t, err, "16 postings")
	_, err = w.db.ExecContext(t.Context(), "insert into postings (id, from_account, to_account, asset, amount) values (1600, 1, 2, 'X', 1)")
	var refused *pgconn.PgError
	require.True(t, errors.As(err, &refused) && refused.Code == "23514", "%v", err)
}
