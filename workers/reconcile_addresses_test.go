package workers_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// used makes addresses of long ago with dropped transfers, and has a look ask about each of them.
func (w *world) used(network, token string, addresses int) {
	w.t.Helper()
	w.exec(`insert into transfers (id, network, txid, token, position, address, amount, status)
		select ('01800000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, ?0, 'old' || i, ?1, 0, 'old' || lpad(i::text, 6, '0'), 1, 'dropped'
		from generate_series(1, ?2) i`, network, token, addresses)
	w.exec("update reconcile_looks set held_at = null where network = ?", network)
	w.reconcile()
}

// However many addresses were used long ago, a look asks about as many: the hot wallet, the cold address, the addresses of the last hours, and some of the
// old ones in turn. Within a round each of them is asked about.
//
// Covers operator §Admin: A look asks about
func TestALookDoesNotGrowWithOldAddresses(t *testing.T) {
	t.Parallel()
	asked := map[int]int{}
	for _, old := range []int{10, 100, 1000} {
		t.Run(fmt.Sprint(old), func(t *testing.T) {
			w := newWorld(t, "Base")
			p := w.payin("Base", "ETH", "1")
			w.pays("Base", "ETH", p.Wallet, "1")
			w.mine("Base", 4)
			w.used("Base", "ETH", old)
			require.Equal(t, old+1, w.count("select count(distinct address) from address_holdings"))
			tokens := w.count("select count(*) from tokens where network = 'Base'")
			node := w.moody("Base")
			for range 3 {
				node.asked, node.questions = 0, 0
				w.reconcile()
				require.Equal(t, tokens, node.questions)
				require.LessOrEqual(t, node.asked, 43*tokens)
				asked[old] = max(asked[old], node.asked/tokens)
			}
			require.Empty(t, w.reported())
		})
	}
	require.Equal(t, map[int]int{10: 13, 100: 43, 1000: 43}, asked)
}

// Money gone from an address of long ago is noticed at the address's turn, and stops the asset. A look an hour after the last one
// asks about every address, as an operator does.
//
// Covers operator §Admin: A look asks about
func TestALossAtAnOldAddressIsNoticedInItsTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Base")
	n, _ := w.registry.Network("Base")
	p := w.payin("Base", "ETH", "3")
	w.pays("Base", "ETH", p.Wallet, "3")
	w.mine("Base", 1)
	w.exec("update transfers set id = '01800000-0000-7000-8000-ffffffffffff' where network = 'Base' and status = 'seen'") // long ago, by its id
	w.mine("Base", 30)
	w.used("Base", "ETH", 100)
	require.Equal(t, 1, w.count("select count(*) from address_holdings where asset = 'ETH' and amount = 3"))
	w.exec("update reconcile_looks set turn = ?", n.Addresser.Match(p.Wallet)) // it has just had its turn
	move := func(amount string) {
		w.exec("update sandbox_holdings set amount = amount + ? where network = 'Base' and token = 'ETH' and address = ?",
			dec(amount), n.Addresser.Match(p.Wallet))
	}
	const lost = "the ledger equals what our addresses hold"

	move("-2")
	rounds := 0
	for w.reconcile(); len(w.reported()) == 0; w.reconcile() {
		rounds++
	}
	require.Equal(t, []string{lost}, w.reported())
	require.Equal(t, 3, rounds, "the 100 others come first")
	require.Equal(t, 1, w.count("select count(*) from stopped_assets where asset = 'ETH' and network = 'Base'"))
	w.reconcile()
	require.Equal(t, []string{lost}, w.reported(), "it stands")
	move("2")
	w.exec("update reconcile_looks set turn = ?", n.Addresser.Match(p.Wallet))
	w.reconcile()
	require.Empty(t, w.reported(), "while an asset is stopped, each look asks about every address")

	move("-1")
	w.exec("update reconcile_looks set turn = ?", n.Addresser.Match(p.Wallet))
	report, err := w.workers.Reconcile.Report(t.Context())
	require.NoError(t, err)
	require.Len(t, report.Differences, 1)
	w.exec("update reconcile_looks set turn = ?, held_at = now() - interval '61 minutes'", n.Addresser.Match(p.Wallet))
	w.reconcile()
	require.Equal(t, []string{lost}, w.reported())
	move("1")
}

// An address of long ago with a new transfer is asked about at once: its former holdings do not count for it.
func TestAnOldAddressIsUsedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Base")
	n, _ := w.registry.Network("Base")
	p := w.payin("Base", "ETH", "3")
	w.pays("Base", "ETH", p.Wallet, "3")
	w.mine("Base", 1)
	w.exec("update transfers set id = '01800000-0000-7000-8000-ffffffffffff' where network = 'Base' and status = 'seen'") // long ago, by its id
	w.mine("Base", 30)
	w.used("Base", "ETH", 100)
	w.exec("update reconcile_looks set turn = ?", n.Addresser.Match(p.Wallet))
	w.pays("Base", "ETH", p.Wallet, "4")
	w.mine("Base", 2)
	node := w.moody("Base")
	w.reconcile()
	require.Empty(t, w.reported())
	require.Len(t, node.heights, 1, "no difference was looked at once more")
	require.Equal(t, 1, w.count("select count(*) from address_holdings where asset = 'ETH' and amount = 7"))
}
