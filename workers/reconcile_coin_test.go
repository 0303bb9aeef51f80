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

// An open payin older than five hundred others has its turn in a later look.
//
// Covers operator §Admin: Where a node shows no coin
func TestCoinOfOlderOpenPayinsIsAskedForInTurn(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Base")
	n, _ := w.registry.Network("Base")
	w.withoutTraces("Base")
	old := w.payin("Base", "ETH", "5")
	w.pays("Base", "ETH", old.Wallet, "1") // so the round along addresses without a transfer leaves it out
	w.mine("Base", 4)
	w.exec(`insert into payins select (jsonb_populate_record(p, jsonb_build_object('id', 'ff000000-0000-7000-8000-' || lpad(n::text, 12, '0'), 'reference_id', n))).*
		from payins p, generate_series(1, 500) n where p.id = ?`, old.ID)
	w.exec("update sandbox_holdings set amount = amount + 3 where network = 'Base' and address = ?", n.Addresser.Match(old.Wallet))
	found := func() int { return w.count("select count(*) from quiet_holdings") }
	w.reconcile()
	require.Equal(t, []int{0, 1}, []int{found(), w.count("select count(*) from reconcile_looks where coin_below is not null")}, "the newest come first")
	w.reconcile()
	require.Equal(t, []int{1, 0}, []int{found(), w.count("select count(*) from reconcile_looks where coin_below is not null")}, "and then again")
}
