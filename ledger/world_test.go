package ledger_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/ledger"
)

// world is one ledger with a few merchants and assets of its own; other worlds of the same test use the same database.
type world struct {
	db        *bun.DB
	store     *store.Store
	merchants []uuid.UUID
	assets    []string
	network   string
}

// newWorld makes a world of so many merchants in db.
func newWorld(t require.TestingT, tt *testing.T, db *bun.DB, merchants int) *world {
	id := uuid.NewString()[:8]
	w := &world{db: db, store: store.New(db), assets: []string{"A-" + id, "B-" + id}, network: "Net-" + id}
	for range merchants {
		m := uuid.Must(uuid.NewV7())
		_, err := db.NewRaw("insert into merchants (id, name, webhook_secret) values (?, 'Shop', '')", m).Exec(tt.Context())
		require.NoError(t, err)
		w.merchants = append(w.merchants, m)
	}
	return w
}

// post posts and returns how many entries were new.
func (w *world) post(t require.TestingT, tt *testing.T, entries ...ledger.Entry) int {
	n, err := ledger.Post(tt.Context(), w.db, entries...)
	require.NoError(t, err)
	return n
}

// fund gives a merchant an available balance.
func (w *world) fund(tt *testing.T, merchant uuid.UUID, asset, amount string) {
	tt.Helper()
	t := newTransfer(w.network, decimal.RequireFromString(amount))
	w.post(tt, tt, ledger.UnclaimedHeld(asset, t), ledger.UnclaimedAssigned(merchant, asset, t))
}

// requireSound asserts the rules of every ledger for the world's assets: each merchant's balance row is the sum of its
// postings; the merchants and the platform have exactly the money missing outside; and the balance on every line of a
// statement is the one before it, moved by the line.
func (w *world) requireSound(t require.TestingT, tt *testing.T) {
	for _, asset := range w.assets {
		var wrong []string
		require.NoError(t, w.db.NewRaw(unlikeSums, asset).Scan(tt.Context(), &wrong))
		require.Empty(t, wrong, "balances that are not the sum of their postings")
		require.NoError(t, w.db.NewRaw(brokenChain, asset).Scan(tt.Context(), &wrong))
		require.Empty(t, wrong, "lines whose balance does not follow from the line before")
		require.NoError(t, w.db.NewRaw(misnamed, asset).Scan(tt.Context(), &wrong))
		require.Empty(t, wrong, "entries that name other movements than they have")
		var sum decimal.Decimal
		require.NoError(t, w.db.NewRaw(sumOfAll, asset).Scan(tt.Context(), &sum))
		require.True(t, sum.IsZero(), "%s is %s out of balance", asset, sum)
	}
}

const (
	unlikeSums = `with sums as (
			select a.merchant_id, a.pocket, sum(case when a.id = p.to_account then p.amount else -p.amount end) as amount
			from postings p join accounts a on a.id in (p.from_account, p.to_account)
			where p.asset = ?0 and a.merchant_id is not null group by 1, 2)
		select format('%s %s: %s, postings %s', b.merchant_id, k.pocket, k.amount, coalesce(s.amount, 0))
		from balances b cross join lateral (values ('available', b.available), ('locked', b.locked)) k(pocket, amount)
		left join sums s on s.merchant_id = b.merchant_id and s.pocket = k.pocket
		where b.asset = ?0 and k.amount <> coalesce(s.amount, 0)
		union all
		select format('%s has no balance row', s.merchant_id) from sums s
		where not exists (select from balances b where b.merchant_id = s.merchant_id and b.asset = ?0)`

	// A merchant's own moves between available and locked change no total and are on no line.
	brokenChain = `select format('%s line %s: %s after %s and %s of %s', merchant_id, id, balance_after, coalesce(previous, 0), movement, amount)
		from (select p.merchant_id, p.id, p.amount, p.movement, p.balance_after,
			lag(p.balance_after) over (partition by p.merchant_id order by p.created_at, p.id) as previous
			from postings p where p.asset = ? and p.movement is not null) line
		where balance_after <> coalesce(previous, 0) + case when movement in ('DEPOSIT', 'WITHDRAWAL_REFUND') then amount else -amount end`

	misnamed = `select format('entry %s: %s of %s', id / 16, string_agg(types, ';'), string_agg(movement, ' ' order by id))
		from postings where asset = ? group by id / 16 having string_agg(types, ';') is distinct from string_agg(movement, ' ' order by id)`

	// Merchants by their balance rows, everybody else by postings.
	sumOfAll = `select coalesce((select sum(available + locked) from balances where asset = ?0), 0)
		+ coalesce((select sum(case when a.id = p.to_account then p.amount else -p.amount end)
			from postings p join accounts a on a.id in (p.from_account, p.to_account)
			where p.asset = ?0 and a.merchant_id is null), 0)`
)

// account returns the amount of an asset in an account, by its postings.
func (w *world) account(t require.TestingT, tt *testing.T, name, asset string) decimal.Decimal {
	var sum decimal.Decimal
	err := w.db.NewRaw(`select coalesce(sum(case when a.id = p.to_account then p.amount else -p.amount end), 0)
		from postings p join accounts a on a.name = ? and a.id in (p.from_account, p.to_account) where p.asset = ?`, name, asset).Scan(tt.Context(), &sum)
	require.NoError(t, err)
	return sum
}

// balance returns a merchant's balance of an asset, nothing included.
func (w *world) balance(t require.TestingT, tt *testing.T, merchant uuid.UUID, asset string) ledger.Balance {
	all, err := ledger.Balances(tt.Context(), w.db, merchant)
	require.NoError(t, err)
	return all[asset]
}

func (w *world) count(tt *testing.T, query string, args ...any) (n int) {
	tt.Helper()
	require.NoError(tt, w.db.NewRaw(query, args...).Scan(tt.Context(), &n))
	return n
}

func oneWorld(t *testing.T, merchants int) *world {
	t.Helper()
	return newWorld(t, t, testkit.DB(t), merchants)
}
