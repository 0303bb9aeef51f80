package workers_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/ledger"
)

// Covers operator §Admin: payout show and the payout's page have
func TestPayoutsShareACostBySize(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.splitCoins()
	a := &admin.Admin{Store: w.store, Actor: "ann"}
	var payouts []*pay.Payout
	for to, amount := range map[string]string{coinPayees[0]: "2", coinPayees[1]: "3", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy": "4"} {
		payouts = append(payouts, w.payout("Bitcoin", "BTC", amount, to))
	}
	w.work()
	shown, err := a.Payout(t.Context(), payouts[0].ID.String())
	require.NoError(t, err)
	require.Nil(t, shown.Transactions[0].Cost, "it is not booked yet")

	w.mine("Bitcoin", 4)
	sum, costs := decimal.Zero, map[string]decimal.Decimal{}
	for _, p := range payouts {
		shown, err = a.Payout(t.Context(), p.ID.String())
		require.NoError(t, err)
		require.Len(t, shown.Transactions, 1)
		costs[p.Wallet] = *shown.Transactions[0].Cost
		sum = sum.Add(costs[p.Wallet])
	}
	var booked decimal.Decimal
	require.NoError(t, w.db.NewRaw("select sum(amount) from postings p join entries e on e.id = p.id / 16 where e.kind = 'gas_spent' and e.subject = ?",
		ledger.Gas("Bitcoin", shown.Transactions[0].Txid)).Scan(t.Context(), &booked))
	require.True(t, booked.IsPositive())
	w.equal(booked.String(), sum)
	require.True(t, costs["3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"].LessThan(costs[coinPayees[0]]), "a shorter output costs less: %v", costs)
}
