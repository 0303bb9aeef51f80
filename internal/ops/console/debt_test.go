package console_test

import (
	"strings"
	"testing"

	"causeway/internal/ops/admin"
)

// An account's debt stands wherever its payouts can be approved, in the file of approvals, and on the overview.
//
// Covers operator §Console: A payout of an account that owes
func TestADebtStandsBesideApprove(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleOperator)
	d.waitsMany(2)
	d.exec("delete from payout_approvals")
	d.exec("insert into balances (merchant_id, asset) values (?, 'USDT')", d.merchant)
	d.exec("update balances set available = -41.5")
	p := d.person()
	p.login("ann", password)
	_, rows := p.file("approvals?format=csv")
	if len(rows) != 2 || rows[0]["owes"] != "41.5" || rows[0]["why"] != "its account owes 41.5 USDT" {
		t.Fatalf("%v", rows)
	}
	for path, times := range map[string]int{"approvals": 4, "payouts/" + rows[0]["internal_reference"]: 4} { // the text, and the question before it
		if _, page := p.get("/console/" + path); strings.Count(page, "The account owes 41.5 USDT") != times {
			t.Errorf("%s tells of the debt %d times", path, strings.Count(page, "The account owes 41.5 USDT"))
		}
	}
	if _, page := p.get("/console/"); !strings.Contains(page, "owes 41.5 USDT, for") {
		t.Error("the overview does not tell of the debt")
	}
}
