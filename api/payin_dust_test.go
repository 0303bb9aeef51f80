package api

import (
	"fmt"
	"strings"
	"testing"

	"causeway/internal/contract"
)

// Of a payin to which anybody has sent any number of transfers the largest are named, and all count.
func TestARecordNamesTheLargestTransfers(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §8: Of a payin with more than 500 transfers")
	s := newShop(t)
	_, created := s.payin()
	id := created.at("data.internal_reference").(string)
	s.received(id, "first", "USDT", "3", "3", "final", 90, 1)
	s.exec(`insert into transfers (id, network, txid, token, position, address, amount, payin_id, status, height, credits, credited, counted)
		select gen_random_uuid(), 'Tron', 'dust-' || i, 'USDT', 0, 'a', 0.000001, ?, 'final', 91, 1, 0.000001, 0.000001 from generate_series(1, 499) i`, id)
	s.exec("update transfers set seen_at = '2026-05-01 13:00:00+00' where txid like 'dust-%'")
	if _, has := s.get("/v1/check-payin/" + id).at("deposit").(map[string]any)["payments_omitted"]; has {
		t.Error("of 500 transfers some are omitted")
	}
	s.exec(`insert into transfers (id, network, txid, token, position, address, amount, payin_id, status, height, credits, credited, counted)
		select gen_random_uuid(), 'Tron', 'more-' || i, 'USDT', 0, 'a', 0.0000005, ?, 'credited', 91, 1, 0.0000005, 0.0000005 from generate_series(1, 10) i`, id)
	s.received(id, "last", "USDT", "2", "2", "credited", 95, 1)
	s.exec("update transfers set seen_at = '2026-05-01 14:00:00+00' where txid = 'last'")
	s.exec("update payins set received = 5.000504 where id = ?", id)
	got := s.get("/v1/check-payin/" + id)
	got.wants(t, map[string]any{"deposit.received_amount": "5.000504", "deposit.payment_status": "partial", "deposit.payments.0.txid": "first",
		"deposit.payments.499.txid": "last", "deposit.payments_omitted.count": 11, "deposit.payments_omitted.amount": "0.000006"})
	if n := len(got.list("deposit.payments")); n != 500 {
		t.Errorf("%d payments", n)
	}
	if text := got.at("deposit.txid").(string); strings.Count(text, `"`) != 1000 || !strings.HasPrefix(text, `["first"`) || !strings.HasSuffix(text, `"last"]`) {
		t.Errorf("txid is %s", text)
	}
	if listed := s.get("/v1/list-payin"); fmt.Sprint(listed.at("deposits.0")) != fmt.Sprint(got.at("deposit")) {
		t.Error("the list shows something else")
	}
}
