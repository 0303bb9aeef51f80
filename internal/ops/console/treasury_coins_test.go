package console_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// Where coins are spent whole, the page of the treasury says how much the coins for payouts are, and of which the fee is too much: those of
// the wallet of today that nobody has spent. A consolidation is a move like others.
//
// Covers operator §Console: The page of the treasury shows
func TestTheCoinsOfTheTreasuryOnItsPage(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("eve", admin.RoleViewer)
	_, err := d.admin.SetTreasuryRule(t.Context(), "Bitcoin", "BTC", admin.Fields{"sweep_min": "0.001"})
	must(t, err)
	d.exec(`insert into followers (network, head, chain, wallet, final, followed_from) values ('Bitcoin', 100, 'test', 'hot', 95, 1)
		on conflict (network) do update set wallet = 'hot'`)
	coin := func(id, address, amount string, spent any) {
		t.Helper()
		d.exec(`insert into coins (network, id, address, token, amount, own, height, spent_by, spent_height)
			values ('Bitcoin', ?0, ?1, 'BTC', ?2::numeric, false, 50, ?3, 60 + 0 * length(?3))`, id, address, amount, spent)
	}
	d.exec("delete from coins where network = 'Bitcoin'")
	coin("a:0", "hot", "1250", nil)
	coin("b:0", "hot", "0.5", nil)
	coin("c:0", "hot", "4", "x")
	coin("d:0", "former", "7", nil)
	d.exec("insert into move_costs (network, cost, coin) values ('Bitcoin', 0.0001, 0.000001)")
	eve := d.person()
	eve.login("eve", password)
	sees := func(want string) {
		t.Helper()
		_, page := eve.get("/console/treasury")
		if seen := rows(page); !slices.ContainsFunc(seen, func(row string) bool { return strings.Contains(row, want) }) {
			t.Errorf("no row has %q: %q", want, seen)
		}
	}
	sees("Bitcoin BTC – 1 250.5 in coins – 0 – kept")
	coin("e:0", "hot", "0.000003", nil)
	coin("f:0", "hot", "0.000002", nil)
	must(t, d.store.AddMove(t.Context(), &pay.TreasuryMove{ID: uuid.Must(uuid.NewV7()), Network: "Bitcoin", Kind: pay.MoveConsolidate, Status: pay.MoveSent,
		Token: "BTC", FromAddress: "hot", ToAddress: "hot", Amount: dec("0.04"), By: pay.ByRules}))
	sees("Bitcoin BTC – 1 250.500005 in coins; 2 of them, 0.000005, are not worth their fee – 0 – kept")
	coin("g:0", "hot", "9.5", nil)
	d.exec("update coins set mixed = true where id in ('f:0', 'g:0')")
	sees("Bitcoin BTC – 1 250.500003 in coins; 1 of them, 0.000003, are not worth their fee; beside them 2, 9.500002, have other tokens in them and are not spent – 0")
	sees("consolidation Bitcoin 0.04 BTC hot hot sent")
}
