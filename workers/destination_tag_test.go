package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains/sandbox"
	"causeway/internal/pay"
)

// A destination tag is a number: a payout with leading zeros in its memo goes out with the tag known to the network.
func TestATagGoesOutAsItsNumber(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, "Ripple")
	funds := w.memoPayin("Ripple", "XRP", "12345678")
	_, err := w.chain.Pay(ctx, sandbox.Payment{Network: "Ripple", Token: "XRP", To: funds.Wallet, Amount: dec("100"), Memo: "12345678"})
	require.NoError(t, err)
	w.mine("Ripple", 4)
	p := w.payout("Ripple", "XRP", "4", "rshX52JBuQm2HzKKZTtWAzUeaWK7TPANya")
	w.exec("update payouts set memo = '00012345' where id = ?", p.ID)
	w.reseal(p.ID)
	w.work()
	w.mine("Ripple", 4)
	paid := w.payoutNow(p.ID)
	require.Equal(t, pay.PayoutCompleted, paid.Status)
	require.Equal(t, "00012345", *paid.Memo)
	shown, err := w.chain.Show(ctx, "Ripple", sandbox.Filter{Txid: *paid.Txid})
	require.NoError(t, err)
	require.Equal(t, "12345", shown.Transactions[0].Memo)
}
