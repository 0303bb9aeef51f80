package store_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/migrations"
)

// A signer counts under caps by a function adding to the sums, and no amount lowers them.
//
// Covers operator §Database roles: Each has the rights
func TestASignerOnlyAddsToTheSumsOfCaps(t *testing.T) {
	t.Parallel()
	exec(t, testkit.DB(t), `insert into capped_spend select 'Tron', 'USDT', date_trunc('minute', now() - ago::interval), 1
		from unnest(array['30 minutes', '5 hours', '24 hours 30 minutes', '26 hours']) as a(ago)`)
	signer := store.New(testkit.DBAs(t, migrations.SignerRole))
	for i, want := range []store.CappedSpend{{Hour: decimal.New(1, 0), Day: decimal.New(2, 0)}, {Hour: decimal.New(8, 0), Day: decimal.New(9, 0)}} {
		spent, err := signer.CountCapped(t.Context(), "Tron", "USDT", decimal.New(7, 0))
		require.NoError(t, err)
		require.True(t, spent.Hour.Equal(want.Hour) && spent.Day.Equal(want.Day), "%d: %v", i, spent)
	}
	_, err := signer.CountCapped(t.Context(), "Tron", "USDT", decimal.New(-7, 0))
	require.ErrorContains(t, err, "no amount to be signed")
	var rows int
	require.NoError(t, signer.Q.NewRaw("select count(*) from capped_spend").Scan(t.Context(), &rows))
	require.Contains(t, []int{4, 5}, rows, "the oldest is gone") // five in two minutes
}
