package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/ops/admin"
)

// An admin promises a refund of a payin by a form that counts once. The console shows no link, and an operator has no such form.
//
// Covers operator §Admin: payin refund-link promises
func TestARefundIsPromised(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	d.operator("bob", admin.RoleOperator)
	p, _ := d.payin()
	d.exec(`insert into transfers (id, network, txid, token, position, sender, address, amount, status, payin_id, credited, counted, credits, height)
		values (gen_random_uuid(), 'Ethereum', 'a refundable one', 'USDT', 0, 'x', ?, 1200, 'final', ?, 1200, 1200, 1, 7)`, p.Wallet, p.ID)
	path := "payins/" + p.ID.String()
	bob, ann := d.person(), d.person()
	bob.login("bob", password)
	ann.login("ann", password)
	if _, page := bob.get("/console/" + path); !strings.Contains(page, "that came on Ethereum") || strings.Contains(page, path+"/refund") {
		t.Errorf("an operator is offered %s", page)
	}
	if status, _ := bob.do(path+"/refund", "form", uuid.NewString(), "token", "USDT", "amount", "1"); status != http.StatusForbidden {
		t.Errorf("an operator may promise: %d", status)
	}
	if _, page := ann.get("/console/" + path); !strings.Contains(page, `action="/console/`+path+`/refund"`) {
		t.Errorf("an admin is not offered to promise a refund: %s", page)
	}
	form := uuid.Must(uuid.NewV7()).String()
	for _, c := range []struct{ form, amount, says string }{
		{"", "1", "begin again"}, {form, "9999", "may still be refunded of this payin"}, {form, "25.5", "goes. An owner or finance person of the merchant shows the link in the panel."},
		{form, "25.5", "this refund was promised already"},
	} {
		_, page := ann.do(path+"/refund", "form", c.form, "token", "USDT", "amount", c.amount)
		if !strings.Contains(page, c.says) || strings.Contains(page, "/pay/refund/") {
			t.Errorf("%s of %s is answered %s", c.amount, c.form, page)
		}
	}
	var promised int
	must(t, d.db.NewRaw("select count(*) from refunds where id = ? and key_id like 'panel:operator %' and amount = 25.5 and payout_id is null", form).Scan(t.Context(), &promised))
	if promised != 1 {
		t.Errorf("%d refunds are promised", promised)
	}
}
