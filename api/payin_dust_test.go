package api

import (
	"fmt"
	"strings"
	"testing"

	"causeway/internal/proof/contract"
)

// With any number of transfers sent to a payin by anybody, the largest are named, and all count.
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

// Transfers crowding a payin hide nothing of another kind: each kind names its largest.
func TestARecordNamesTheLargestOfEachKind(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §8: The 500 are the largest of each kind in turn", "addendum §8: Of a payin with more than 500 transfers")
	crowd := func(s *shop, payin, token, amount, counted, status string, credits int) {
		s.exec(`insert into transfers (id, network, txid, token, position, address, amount, payin_id, status, height, credits, credited, counted)
			select gen_random_uuid(), 'Tron', ?0 || '-' || ?1 || '-' || i, ?1, 0, 'a', ?2, ?3, ?0, 91, ?4, ?2, ?5 from generate_series(1, 600) i`,
			status, token, amount, payin, credits, counted)
	}
	for name, crowds := range map[string]func(s *shop, payin string){
		"not credited, of another token": func(s *shop, payin string) { crowd(s, payin, "TRX", "9", "0", "seen", 0) },
		"not credited":                   func(s *shop, payin string) { crowd(s, payin, "USDT", "0.31", "0", "seen", 0) },
		"not credited again":             func(s *shop, payin string) { crowd(s, payin, "USDT", "0.31", "0.31", "seen", 1) },
		"credited, and counts nothing":   func(s *shop, payin string) { crowd(s, payin, "TRX", "9", "0", "final", 1) },
		"dust of its own":                func(s *shop, payin string) { crowd(s, payin, "USDT", "0.000001", "0.000001", "final", 1) },
		"gone":                           func(s *shop, payin string) { crowd(s, payin, "USDT", "9", "9", "dropped", 1) },
		"all of them": func(s *shop, payin string) {
			crowd(s, payin, "TRX", "9", "0", "seen", 0)
			crowd(s, payin, "USDT", "0.31", "0", "seen", 0)
			crowd(s, payin, "TRX", "9", "0", "final", 1)
			crowd(s, payin, "USDT", "0.000001", "0.000001", "final", 1)
			crowd(s, payin, "USDT", "9", "9", "dropped", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			_, created := s.payin()
			id := created.at("data.internal_reference").(string)
			s.received(id, "paid", "USDT", "0.3", "0.3", "final", 90, 1)
			s.received(id, "converted", "TRX", "1", "0.2", "credited", 90, 1)
			s.received(id, "coming", "USDT", "7", "0", "seen", 92, 0)
			s.received(id, "other", "ETH", "0.0001", "0", "seen", 92, 0)
			s.exec("update transfers set seen_at = '2026-05-01 13:00:00+00' where txid in ('coming', 'other')")
			crowds(s, id)
			got := s.get("/v1/check-payin/" + id)
			got.wants(t, map[string]any{"deposit.payments.0.txid": "paid", "deposit.payments.1.txid": "converted",
				"deposit.unconfirmed_payments.0.txid": "coming", "deposit.unconfirmed_payments.1.txid": "other"})
			if text := got.at("deposit.txid"); text == nil || !strings.HasPrefix(text.(string), `["paid","converted"`) {
				t.Errorf("txid is %v", text)
			}
		})
	}
}
