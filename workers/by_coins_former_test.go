package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
)

// A transaction of the former wallet is final while another seed is there. Its coin is spent when the first is back.
func TestASpentCoinOfAFormerWalletIsNotFree(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	p := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.round()
	n, _ := w.registry.Network("Bitcoin")
	leased := w.coinOf("slot is not null and spent_by is null")
	require.Len(t, leased, 1)
	hot := n.Hot
	n.Hot = n.Addresser.Match(coinPayees[2])
	w.minesAndFollows("Bitcoin", 6)
	n.Hot = hot
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Empty(t, w.coinOf("slot is null and spent_by is null and id = ?", leased[0].ID), "a spent coin is free")
}
