package api

import (
	"reflect"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/proof/contract"
)

// The requested values stand in the answer to the creation, without expires_at, and in the record check and list show
// alike.
func TestPayinRecordIsWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payin creation response: expires_at is not part", "api-v1 §Payin creation response: {message: deposit_created",
		"api-v1 §Payin record: internal_reference, reference_id, wallet, network", "api-v1 §Payin record: crypto_currency, crypto_amount",
		"api-v1 §Payin record: fiat_currency, fiat_amount", "api-v1 §Payin record: process_by, percent_rate, network_fee",
		"api-v1 §Payin record: webhook_url", "api-v1 §Payin record: created_at, updated_at, expires_at",
		"api-v1 §Payin record: invoice_currency, invoice_amount", "api-v1 §Other operations: GET /v1/check-payin/{reference}",
		"api-v1 §Versioning: added · Network aliases", "api-v1 §Account summary: What was applied",
		"api-v1 §Account summary: user_pays_payment_network_fee, user_pays_receipt_network_fee", "api-v1 §Limits: expires_at")
	s := newShop(t, holding("1000"))
	s.exec(`update merchants set receipt_rate = 0.75, minimum_payment = 97.5, user_pays_receipt_network_fee = true`)
	for _, c := range []struct {
		changes        []string
		asked          map[string]any // in both
		ends, required string         // expires_at and the fee in the record
	}{
		{[]string{"network", `"BNB_chain"`, "crypto_amount", `"12.50"`},
			map[string]any{"crypto_amount": "12.5", "fiat_amount": "12.50000000", "fiat_currency": "USD",
				"network": "BinanceSmartChain"}, "2026-05-06 11:08:09", "crypto_amount"},
		{[]string{"process_by", `"fiat_amount"`, "fiat_amount", `"54"`, "fiat_currency", `"Brl"`, "expires_at", `90`, "webhook_url",
			`"https://hooks.test/two"`},
			map[string]any{"crypto_amount": "10", "fiat_amount": "54", "fiat_currency": "BRL",
				"network": "Tron"}, "2026-05-06 07:09:39", "fiat_amount"},
	} {
		reference := "order of " + c.required
		status, got := s.payin(append(c.changes, "reference_id", quote(reference))...)
		c.asked["reference_id"], c.asked["crypto_currency"], c.asked["status"] = reference, "USDT", "created"
		data, _ := got.at("data").(map[string]any)
		reply(data).wants(t, c.asked)
		id, _ := data["internal_reference"].(string)
		if _, err := uuid.Parse(id); status != 200 || err != nil || len(data) != 9 {
			t.Fatalf("%d %v", status, got)
		}
		if _, there := data["expires_at"]; there {
			t.Errorf("%v", data)
		}
		s.exec(`update payins set expires_at = expires_at - created_at + timestamptz '2026-05-06 07:08:09+00', created_at = '2026-05-06 07:08:09.9+00',
			updated_at = '2026-05-07 08:09:10+00' where id = ?`, id)
		checked, _ := s.get("/v1/check-payin/" + id).at("deposit").(map[string]any)
		url := map[string]string{"crypto_amount": "https://hooks.test/in", "fiat_amount": "https://hooks.test/two"}[c.required]
		want := map[string]any{
			"internal_reference": id, "reference_id": reference, "wallet": data["wallet"], "network": c.asked["network"], "status": "pending",
			"crypto_currency": "USDT", "crypto_amount": c.asked["crypto_amount"], "invoice_currency": "USDT",
			"invoice_amount": c.asked["crypto_amount"],
			"fiat_currency":  c.asked["fiat_currency"], "process_by": c.required, "percent_rate": "0.75", "network_fee": "1",
			"minimum_payment": "97.5",
			"received_amount": "0", "webhook_url": url, "expires_at": c.ends, "created_at": "2026-05-06 07:08:09",
			"updated_at": "2026-05-07 08:09:10",
		}
		want["fiat_amount"] = map[string]string{"crypto_amount": "12.50000000", "fiat_amount": "54.00000000"}[c.required]
		reply(checked).wants(t, want)
		if again := s.get("/v1/check-payin/order%20of%20" + c.required).at("deposit"); !reflect.DeepEqual(again,
			s.get("/v1/list-payin?network="+checked["network"].(string)).at("deposits.0")) {
			t.Errorf("checked by reference as %v", again)
		}
	}
}

// created is said once, at the creation; afterwards there are four statuses. Reversed ones are listed under their own
// status, with their reversal, and not among the completed.
func TestPayinStatuses(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payin: created stands", "api-v1 §Payin record: status", "api-v1 §Versioning: added · Payins can be reversed",
		"api-v1 §Payin record: reversal")
	s := newShop(t, holding("1000"))
	_, created := s.payin()
	created.wants(t, map[string]any{"data.status": "created"})
	for _, status := range []string{"pending", "completed", "failed", "reversed"} {
		s.exec(`update payins set status = ?0, reversed_at = case ?0 when 'reversed' then timestamptz '2026-05-02 01:02:03+00' end,
			reversal = case ?0 when 'reversed' then '{"USDT": "9.5"}'::jsonb end`, status)
		s.get("/v1/check-payin/order-0000001").wants(t, map[string]any{"deposit.status": status})
		for _, filter := range []string{"pending", "completed", "failed", "reversed"} {
			n := 0
			if filter == status {
				n = 1
			}
			listed := s.get("/v1/list-payin?status=" + filter)
			listed.wants(t, map[string]any{"meta.total": n, "summary.total_" + filter: n, "meta.filters.status": filter})
			if (listed.at("deposits.0") != nil) != (n == 1) {
				t.Errorf("a payin that is %s is listed as %s: %v", status, filter, listed)
			}
		}
	}
	for place, record := range map[string]reply{"deposit": s.get("/v1/check-payin/order-0000001"), "deposits.0": s.get("/v1/list-payin")} {
		record.wants(t, map[string]any{place + ".reversal.reversed_at": "2026-05-02 01:02:03", place + ".reversal.amounts.USDT": "9.5",
			place + ".reversal.partial": false})
	}
}
