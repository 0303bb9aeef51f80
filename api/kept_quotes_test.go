package api

import (
	"testing"

	"causeway/internal/proof/contract"
)

// Each payin and payout keeps the quote it used, to the last digit, also where it is a cross rate without an end.
func TestPayoutKeepsItsQuote(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §6: fiat_amount is what the recipient gets")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	s.exec(`delete from prices where base = 'USDT' or quote = 'EUR'`)
	s.exec(`insert into prices (base, quote, price, source, pinned) values ('USD', 'USDT', 3, 'operator', true), ('EUR', 'USD', 0.7, 'operator', true)`)
	s.exec(`update tokens set network_fee = 3.5, fee_currency = 'EUR' where symbol = 'USDT' and network = 'Tron'`)
	for _, c := range []struct {
		ref, price, fiat string
		changes          []string
	}{
		{"q-0", "0.333333333333333333", "3.33333333", nil},
		{"q-1", "0.476190476190476190", "4.76190476", []string{"fiat_currency", `"EUR"`}}, // 1 / (3 × 0.7)
		{"q-2", "0.476190476190476190", "9.99999999", []string{"fiat_currency", `"EUR"`, "process_by", `"fiat_amount"`, "fiat_amount", `"10"`}},
	} {
		a := s.payOut(item(c.ref, append(c.changes, "network", `"Tron"`, "wallet", quote(tronWallet))...))
		decodeReply(t, a.text).wants(t, map[string]any{"results.0.status": "created", "results.0.fiat_amount": c.fiat,
			"results.0.network_fee": "7.35"})
		if n := s.count(`select count(*) from payouts where reference_id = ? and price = ? and network_fee = 7.35
			and fiat_amount = trunc(amount * price, 8)`, c.ref, c.price); n != 1 {
			t.Errorf("%s is kept otherwise: %s", c.ref, a.text)
		}
		if n := s.count(`select count(*) from payouts where reference_id = ? and process_by = 'fiat_amount' and amount <> trunc(10 / price, 6)`, c.ref); n != 0 {
			t.Errorf("%s was not bought at its price", c.ref)
		}
	}
}

func TestPayinKeepsItsQuote(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.exec("update merchants set user_pays_receipt_network_fee = true")
	s.exec("delete from prices where base = 'USDT'")
	s.exec("insert into prices (base, quote, price, source, pinned) values ('USD', 'USDT', 3, 'operator', true)")
	s.exec("update tokens set network_fee = 0.0001, fee_currency = 'USD' where symbol = 'USDT' and network = 'Tron'")
	for _, changes := range [][]string{nil, {"process_by", `"fiat_amount"`, "fiat_amount", `"10"`, "fiat_currency", `"USD"`, "reference_id",
		`"by-fiat"`}} {
		status, got := s.payin(changes...)
		id := got.at("data.internal_reference")
		if n := s.count(`select count(*) from payins where id = ? and price = 0.333333333333333333 and network_fee = 0.0003
			and case process_by when 'fiat_amount' then amount = trunc(10 / price, 6) else fiat_amount = trunc(amount * price, 8) end`, id); status != 200 || n != 1 {
			t.Errorf("%v is kept otherwise: %d %v", changes, status, got)
		}
	}
	s.exec("delete from prices where base = 'USD' and quote = 'USDT'")
	s.exec("update merchants set user_pays_receipt_network_fee = false")
	_, got := s.payin("reference_id", `"no-price"`)
	if n := s.count("select count(*) from payins where id = ? and price is null and fiat_amount is null", got.at("data.internal_reference")); n != 1 {
		t.Errorf("a payin without a price: %v", got)
	}
}
