package workers_test

import (
	"context"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
)

// withoutTraces makes a network one whose connector does not see all coin, and counts the questions about it.
func (w *world) withoutTraces(network string) (asked *[]int64) {
	n, _ := w.registry.Network(network)
	asked = &[]int64{}
	n.Coins = func(ctx context.Context, addresses []string, height int64) ([]decimal.Decimal, error) {
		*asked = append(*asked, height)
		return n.Holder.Holdings(ctx, n.Coin, addresses, height)
	}
	return asked
}

// Coin sent by a contract to an open payin, beside a seen part, is found by the next look, up to the credited block. It is shown with
// the payin, credited to nobody, and shown once.
//
// Covers operator §Admin: Where a node shows no coin
func TestCoinThatNoFollowerSeesIsShownWithItsPayin(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Base")
	n, _ := w.registry.Network("Base")
	asked := w.withoutTraces("Base")
	p, other := w.payin("Base", "ETH", "5"), w.payin("Base", "ETH", "5")
	w.pays("Base", "ETH", p.Wallet, "1")
	w.pays("Base", "ETH", other.Wallet, "2")
	w.mine("Base", 4)
	w.reconcile()
	require.Empty(t, w.reported(), "what was seen is no surplus")

	at := n.Addresser.Match(p.Wallet)
	w.exec("insert into sandbox_holdings (network, address, token, amount) values ('Base', ?, 'ETH', 3) on conflict (network, address, token) do update set amount = sandbox_holdings.amount + 3", at)
	for range 2 {
		w.reconcile()
	}
	found, err := w.store.LastReport(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.True(t, found[0].Surplus)
	require.Equal(t, "Base, also at "+at+" (payin "+p.ID.String()+")", found[0].Where)
	require.Equal(t, 1, w.count("select count(*) from quiet_holdings"))
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
	w.equal("3", w.balance("ETH").Available)

	before := len(*asked)
	w.reconcile()
	require.Len(t, *asked, before+1, "one question a look")
	require.Equal(t, 1, w.count("select count(*) from quiet_holdings"))
	head, err := n.Scanner.Head(t.Context(), -1)
	require.NoError(t, err)
	require.Equal(t, head.Credit, (*asked)[before])
}
