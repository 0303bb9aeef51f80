package workers_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// Money paid through a contract on a chain without traces lies at an address without any seen transfer. It is found by a round
// through payins and wallets, and named; payouts go on, and the operator may make it the treasury's.
//
// Covers operator §Admin: Of addresses at which nothing
func TestMoneyThatNobodySawComeIsFound(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]func(w *world) string{
		"payin of half a year ago": func(w *world) string {
			n, _ := w.registry.Network("Base")
			n.AskFor = func(func(context.Context) ([]string, error)) {} // as on Solana: its step asks for no address as old as this
			p := w.payin("Base", "ETH", "2")
			old := store.FirstIDAt(time.Now().AddDate(0, -6, 0))
			w.exec("update payins set id = ?, status = 'failed', expires_at = now() - interval '6 months' where id = ?", old, p.ID)
			w.exec("update addresses set payin_id = ? where payin_id = ?", old, p.ID)
			return p.Wallet
		},
		"payin": func(w *world) string {
			p := w.payin("Base", "ETH", "2")
			w.exec("update payins set status = 'failed', expires_at = now() - interval '6 days' where id = ?", p.ID)
			return p.Wallet
		},
		"fixed wallet": func(w *world) string { return w.wallet("Base", "customer").Wallet },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Base")
			for range 10 {
				w.payin("Base", "ETH", "1")
			}
			w.fund("Base", "ETH", "5")
			n, _ := w.registry.Network("Base")
			at := n.Addresser.Match(address(w))
			node := w.moody("Base")
			w.exec("insert into sandbox_holdings (network, address, token, amount) values ('Base', ?, 'ETH', 2)", at)

			for range 4 { // payins, wallets, the findings compared
				w.reconcile()
			}
			found, err := w.store.LastReport(t.Context())
			require.NoError(t, err)
			require.Len(t, found, 1)
			require.True(t, found[0].Surplus)
			require.Regexp(t, "^Base, also at "+at+" \\("+strings.TrimSuffix(name, " of half a year ago")+" [0-9a-f-]{36}\\)$", found[0].Where)
			a := &admin.Admin{Store: w.store, Actor: "ops"}
			h, err := a.Health(t.Context())
			require.NoError(t, err)
			require.Contains(t, h.Troubles()[0].What, "a network holds more than the books say")
			report, err := w.workers.Reconcile.Report(t.Context())
			require.NoError(t, err)
			require.Equal(t, found, report.Differences)

			node.asked = 0
			w.reconcile()
			usual := node.asked
			w.exec("update reconcile_looks set walk_at = null")
			w.reconcile()
			require.Greater(t, node.asked, 2*usual, "an hour later it is another round")
			require.Less(t, node.asked, 2*usual+200)
			require.Equal(t, 1, w.count("select count(*) from quiet_holdings"))
			stopped, err := w.store.StoppedAssets(t.Context())
			require.NoError(t, err)
			require.Empty(t, stopped)

			_, err = a.CorrectTreasury(t.Context(), admin.NewCorrection{Network: "Base", Asset: "ETH", Amount: "2", Reason: "nobody's"})
			require.NoError(t, err)
			w.reconcile()
			require.Empty(t, w.reported())
		})
	}
}

// Money paid by a contract, and seen by nobody, is the customer's: the operator pays as much to the same address by a plain transfer.
// This is credited and completes the payin, and the operator takes the surplus for it.
//
// Covers operator §Settings: traces: true
func TestWhatNobodySawIsGivenToItsMerchant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Base")
	p := w.payin("Base", "ETH", "2")
	n, _ := w.registry.Network("Base")
	w.exec("insert into sandbox_holdings (network, address, token, amount) values ('Base', ?, 'ETH', 2)", n.Addresser.Match(p.Wallet))
	w.ends(p)
	w.mine("Base", 2)
	require.Equal(t, pay.PayinFailed, w.payinNow(p.ID).Status)
	for range 4 {
		w.reconcile()
	}
	require.Len(t, w.reported(), 1)

	w.pays("Base", "ETH", p.Wallet, "2")
	w.mine("Base", 4)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	w.equal("2", w.balance("ETH").Available)
	w.reconcile()
	_, err := (&admin.Admin{Store: w.store, Actor: "ops"}).
		CorrectTreasury(t.Context(), admin.NewCorrection{Network: "Base", Asset: "ETH", Amount: "2", Reason: "paid by us instead"})
	require.NoError(t, err)
	w.reconcile()
	require.Empty(t, w.reported())
	require.Equal(t, []string{"payment_failed:failed", "payment_detected:failed", "payment_confirmed:success"}, w.receiver.got())
}

// An address with a seen transfer is compared with the books and asked about by no round. Nor is a shared address told apart by
// memos, one of an old payin, or one of a revoked wallet.
func TestARoundAsksAboutQuietAddressesOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Base", "Ethereum", "Ripple")
	seen, other, quiet := w.payin("Base", "ETH", "1"), w.payin("Ethereum", "ETH", "1"), w.payin("Base", "ETH", "1")
	w.pays("Base", "ETH", seen.Wallet, "1")
	w.mine("Base", 4)
	w.memoPayin("Ripple", "XRP", "7")
	revoked := w.wallet("Base", "gone")
	w.exec("update wallets set status = 'STATUS_REVOKED' where id = ?", revoked.ID)
	kept := w.wallet("Base", "kept")
	round := func(network string) (asked []string) {
		n, _ := w.registry.Network(network)
		walk := store.Walk{}
		for !walk.Ended {
			var some []string
			var err error
			some, walk, err = w.store.QuietAddresses(t.Context(), network, n.Family, time.Now().AddDate(0, 0, -8), walk, 1)
			require.NoError(t, err)
			require.LessOrEqual(t, len(some), 1)
			asked = append(asked, some...)
		}
		return asked
	}
	match := func(p string) string {
		n, _ := w.registry.Network("Base")
		return n.Addresser.Match(p)
	}
	require.Equal(t, []string{match(quiet.Wallet), match(kept.Wallet)}, round("Base"))
	require.Equal(t, []string{match(other.Wallet), match(kept.Wallet)}, round("Ethereum"))
	require.Empty(t, round("Ripple"))
	w.exec("update payins set id = '01900000-0000-7000-8000-000000000000' where id = ?", other.ID)
	w.exec("update addresses set payin_id = '01900000-0000-7000-8000-000000000000' where payin_id = ?", other.ID)
	require.Equal(t, []string{match(kept.Wallet)}, round("Ethereum"), "one of 2024")
}
