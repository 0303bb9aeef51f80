package ledger_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/ledger"
)

// Past balances are those of the last movement before each moment, by asset and merchant, with fees and held money.
func TestPastBalances(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t, testkit.DB(t), 2)
	shop, other, a, b := w.merchants[0], w.merchants[1], w.assets[0], w.assets[1]
	var moments []time.Time
	want := map[string][]string{}
	mark := func(ofA, ofB string) {
		var now time.Time
		require.NoError(t, w.db.NewRaw("select clock_timestamp()").Scan(t.Context(), &now))
		moments = append(moments, now)
		want[a], want[b] = append(want[a], ofA), append(want[b], ofB)
	}
	mark("0", "0")
	w.fund(t, shop, a, "100")
	w.fund(t, other, b, "7")
	mark("100", "0")
	w.fund(t, shop, b, "3")
	p := newPayout(w, shop, a)
	w.post(t, t, ledger.PayoutHeld(p))
	held := decimal.NewFromInt(100).Sub(p.Debit).String()
	mark(held, "3")
	w.post(t, t, ledger.PayoutRefunded(p))
	mark("100", "3")
	mark("100", "3")
	w.requireSound(t, t)
	found, err := ledger.Closings(t.Context(), w.db, shop, []string{a, b, "none"}, moments)
	require.NoError(t, err)
	for asset, balances := range want {
		for i, balance := range balances {
			require.Equal(t, balance, found[asset][i].String(), "%s at %d", asset, i)
		}
	}
	require.Len(t, found["none"], len(moments))
	require.True(t, found["none"][0].IsZero())
	now, err := ledger.Balances(t.Context(), w.db, shop)
	require.NoError(t, err)
	require.Equal(t, now[a].Total().String(), found[a][len(moments)-1].String())
}

// Entries of one moment are taken by their order, and the balance is that of an entry's last movement.
func TestPastBalancesOfOneMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t, testkit.DB(t), 1)
	shop, a := w.merchants[0], w.assets[0]
	var entries []ledger.Entry
	for range 3 {
		transfer := newTransfer(w.network, decimal.NewFromInt(10))
		entries = append(entries, ledger.UnclaimedHeld(a, transfer), ledger.UnclaimedAssigned(shop, a, transfer))
	}
	w.post(t, t, entries...)
	found, err := ledger.Closings(t.Context(), w.db, shop, []string{a}, []time.Time{time.Now().Add(time.Hour)})
	require.NoError(t, err)
	require.Equal(t, "30", found[a][0].String())
}

// Past balances of a seldom moved asset are found without reading the movements of the others.
func TestPastBalancesByPlansOfAFullTable(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	shop := uuid.New()
	for _, s := range []string{
		`insert into postings (id, created_at, from_account, to_account, merchant_id, asset, amount, movement, balance_after, types)
			select n * 16 + 1, now() - n * interval '1 hour', 1, 2, ?0, case when n in (1, 6000) then 'RARE' else 'OFTEN' end, 1, 'DEPOSIT', 6001 - n, 'DEPOSIT'
			from generate_series(1, 6000) n`,
		"analyze postings"} {
		_, err := db.NewRaw(s, shop).Exec(t.Context())
		require.NoError(t, err)
	}
	moments := make([]time.Time, 30)
	for i := range moments {
		moments[i] = time.Now().Add(-time.Duration(len(moments)-i) * 24 * time.Hour)
	}
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	var read, after int64
	const rows = "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relname = 'postings'"
	tx, err := conn.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	require.NoError(t, tx.NewRaw(rows).Scan(t.Context(), &read))
	found, err := ledger.Closings(t.Context(), tx, shop, []string{"RARE", "OFTEN"}, moments)
	require.NoError(t, err)
	require.NoError(t, tx.NewRaw(rows).Scan(t.Context(), &after))
	require.Equal(t, "1", found["RARE"][29].String())
	require.LessOrEqual(t, after-read, int64(5*len(moments)), "rows of postings")
}
