package store_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// Reading the free coins, and what they are together, asks about the transactions that have made change in blocks not final, and about no
// others: years of payouts do not make it slower.
func TestFreeCoinsReadNoOtherTransactions(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	exec(t, s.DB, "insert into followers (network, final) values ('Bitcoin', 1000)")
	exec(t, s.DB, `insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, state)
		select 'Bitcoin', 'tx' || i, gen_random_uuid(), 'pay', 'hot', i, '\x00', 'final' from generate_series(1, 20000) i`)
	exec(t, s.DB, `insert into coins (network, id, address, deposit, position, token, amount, own, height)
		select 'Bitcoin', 'tx' || i || ':0', 'hot', case when i % 2 = 0 then 'd' || i end, case when i % 2 = 0 then i end, 'BTC', 1 + i,
			i % 2 = 1, case when i > 1990 then 1001 else i / 2 end
		from generate_series(1, 2000) i`)
	exec(t, s.DB, "analyze")
	rows, _ := testkit.Touched(t, s.DB)
	free, err := s.HoldCoins(t.Context(), "Bitcoin", "hot")
	require.NoError(t, err)
	require.Len(t, free, 1000)
	require.Equal(t, "tx1999:0", free[0].ID, "change of one transaction alone may be spent before its block is final")
	after, _ := testkit.Touched(t, s.DB)
	require.Less(t, after-rows, 2500, "1,000 coins, and the transactions of five")

	pot, err := s.Pot(t.Context(), "Bitcoin", "hot", "BTC", decimal.Zero)
	require.NoError(t, err)
	require.EqualValues(t, 1995, pot.Coins)
	last, _ := testkit.Touched(t, s.DB)
	require.Less(t, last-after, 8000, "2,000 coins, and the transactions of five")

	exec(t, s.DB, "update coins set slot = 1, place = 0 where deposit is null")
	exec(t, s.DB, "update coins set height = null where id in ('tx1:0', 'tx3:0')")
	exec(t, s.DB, "analyze")
	before, _ := testkit.Touched(t, s.DB)
	dead, err := s.DeadSlots(t.Context(), "Bitcoin")
	require.NoError(t, err)
	require.Empty(t, dead)
	now, _ := testkit.Touched(t, s.DB)
	require.Less(t, now-before, 50, "the coins in no block, and what was to make them")
}
