package api

import (
	"testing"

	"causeway/internal/pay"
)

// A link of an operator pays at the panel's rates. It is closed while its merchant is suspended, or has a rule about whom withdrawals go to
// or who confirms them.
//
// Covers operator §Admin: A merchant that is suspended
func TestALinkOfAnOperator(t *testing.T) {
	t.Parallel()
	s, _ := paidShop(t)
	s.exec("update merchants set withdrawal_rate = 5, user_pays_withdrawal_network_fee = false where id = ?", s.merchant)
	link := s.linkOf("amount", `"4"`)
	s.exec("update refunds set key_id = ?", pay.OperatorKey("ann"))
	s.get("/v1/payin-refunds/order-0000001").wants(t, map[string]any{"refundable.0.refunded": "4", "refunds.0": nil})
	for _, c := range []struct{ closed, open string }{
		{"update merchants set suspended = true", "update merchants set suspended = false"},
		{"insert into panel_rules (merchant_id, book_only) select id, true from merchants", "delete from panel_rules"},
		{"insert into panel_second_rules (id, merchant_id, above, fiat) select gen_random_uuid(), id, 1000000, 'USD' from merchants", "delete from panel_second_rules"},
	} {
		s.exec(c.closed)
		refusedAs(t, s.gives(link, payersWallet), "refund_not_open")
		if p := s.promised(link); p.Status != pay.RefundRevoked {
			t.Errorf("after %s the link is %s", c.closed, p.Status)
		}
		s.exec(c.open)
	}
	if err := s.gives(link, payersWallet); err != nil {
		t.Fatal(err)
	}
	if n := s.count("select count(*) from payouts where key_id = 'panel:operator ann' and amount = 4 and debit = 4.2"); n != 1 {
		t.Errorf("%d payouts", n)
	}
	s.get("/v1/list-payout").wants(t, map[string]any{"meta.total": 0})
	refusedAs(t, s.gives(link, payersWallet), "refund_not_open")
}
