package workers_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// unpays is a network where no transaction pays one recipient.
type unpays struct {
	chains.Sender
	to string
}

func (u unpays) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	if slices.ContainsFunc(spend.Orders, func(o chains.Order) bool { return o.To == u.to }) {
		return nil, fmt.Errorf("%w: not to this recipient", chains.ErrUnpayable)
	}
	return u.Sender.Prepare(ctx, spend)
}

// transactionsOf counts the transactions that pay these payouts.
func (w *world) transactionsOf(payouts []*pay.Payout) int {
	w.t.Helper()
	txids := map[string]bool{}
	for _, p := range payouts {
		history, err := w.store.SignedOf(w.t.Context(), p.ID)
		require.NoError(w.t, err)
		for _, h := range history {
			txids[h.Txid] = true
		}
	}
	return len(txids)
}

// A payout larger than all coins waits. The others still share a transaction.
//
// Covers operator §Settings: A payout that cannot be paid, or
func TestAPayoutTooLargeSplitsNoBatch(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.twoCoins()
	large := w.payout("Bitcoin", "BTC", "50", coinPayees[2])
	w.work()
	var others []*pay.Payout
	for i, amount := range []string{"1", "1.5", "2"} {
		others = append(others, w.payout("Bitcoin", "BTC", amount, coinPayees[i%2]))
	}
	w.putOff()
	w.exec("update jobs set run_at = now() where kind = 'payout.broadcast' and ref = ?", others[0].ID)
	w.work()
	require.Equal(t, 1, w.transactionsOf(others), w.troubles())
	for _, p := range others {
		history, err := w.store.SignedOf(t.Context(), p.ID)
		require.NoError(t, err)
		require.Len(t, history, 1, w.troubles())
	}
	w.mine("Bitcoin", 5)
	for _, p := range others {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status, w.troubles())
	}
	require.Equal(t, pay.PayoutQueued, w.payoutNow(large.ID).Status)
}

// A payout that no transaction pays is failed and refunded. The others share a transaction, whichever comes first.
func TestAnUnpayablePayoutSplitsNoBatch(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	n, _ := w.registry.Network("Bitcoin")
	n.Sender = unpays{n.Sender, coinPayees[2]}
	bad := w.payout("Bitcoin", "BTC", "0.5", coinPayees[2])
	var others []*pay.Payout
	for i, amount := range []string{"1", "1.5", "2", "2.5"} {
		others = append(others, w.payout("Bitcoin", "BTC", amount, coinPayees[i%2]))
	}
	w.putOff()
	w.exec("update jobs set run_at = now() where kind = 'payout.broadcast' and ref = ?", others[0].ID)
	w.work()
	require.Equal(t, 1, w.transactionsOf(others[:1]), w.troubles())
	w.exec("update jobs set run_at = now() where kind = 'payout.broadcast'")
	w.work()
	require.LessOrEqual(t, w.transactionsOf(others), 2, w.troubles())
	w.mine("Bitcoin", 5)
	for _, p := range others {
		require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status, w.troubles())
	}
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(bad.ID).Status)
}
