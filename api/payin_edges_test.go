package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"causeway/internal/proof/contract"
)

// A value at the edge of a rule is taken, and kept as the rule says.
func TestPayinFieldsAtTheirEdges(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payin request object: reference_id", "api-v1 §Payin request object: webhook_url", "api-v1 §Payin request object: customer_info",
		"api-v1 §Payin request object: expires_at", "api-v1 §Payin request object: memo", "api-v1 §Payin request object: crypto_amount",
		"api-v1 §Payin request object: process_by", "api-v1 §Payin request object: network", "api-v1 §Payin request object: crypto_currency",
		"api-v1 §Payin creation response: crypto_amount is cut", "api-v1 §Payin creation response: fiat_amount is what",
		"api-v1 §Limits: reference_id", "api-v1 §Limits: webhook_url", "api-v1 §Limits: customer_info", "api-v1 §Limits: memo", "api-v1 §Limits: expires_at")
	s := newShop(t)
	wide := strings.Repeat("é", 255)
	byFiat := []string{"process_by", `"fiat_amount"`, "fiat_currency", `"uSd"`}
	longest := "https://hooks.test/" + strings.Repeat("a", 756-19)
	for i, c := range []struct {
		changes   []string
		kept      string // a condition on the row
		reference string
		answered  map[string]any
	}{
		{[]string{"reference_id", quote("  " + wide + " ")}, "true", wide, nil},
		{[]string{"reference_id", `"\tx\n"`}, "true", "x", nil},
		{[]string{"webhook_url", quote(longest)}, "length(webhook_url) = 756", "", nil},
		{[]string{"customer_info", quote(wide[:400])}, "length(customer_info) = 200", "", nil},
		{[]string{"customer_info", `null`}, "customer_info is null", "", nil},
		{[]string{"expires_at", `1`}, "expires_at = created_at + interval '1 second'", "", nil},
		{[]string{"expires_at", `86400`}, "expires_at = created_at + interval '1 day'", "", nil},
		{[]string{"expires_at", ``}, "expires_at = created_at + interval '4 hours'", "", nil},
		{[]string{"memo", `"12345678"`}, "memo is null", "", nil},
		{[]string{"memo", `"123456789012345"`}, "memo is null", "", nil},
		{[]string{"memo", `"123456789012345"`, "network", `"ton"`}, "memo = '123456789012345' and network = 'TON'", "", nil},
		{[]string{"network", `" B E P-2_0 "`}, "network = 'BinanceSmartChain'", "", map[string]any{"network": "BinanceSmartChain"}},
		{[]string{"crypto_amount", `1.0000009`}, "amount = 1", "", map[string]any{"crypto_amount": "1", "fiat_amount": "1.00000000"}},
		{[]string{"crypto_amount", `"0012.3400"`}, "amount = 12.34", "", map[string]any{"crypto_amount": "12.34", "fiat_amount": "12.34000000"}},
		{[]string{"crypto_amount", `"100"`, "fiat_amount", `"100.10"`}, "fiat_amount = 100.1", "",
			map[string]any{"crypto_amount": "100", "fiat_amount": "100.10"}},
		{append(byFiat, "fiat_amount", `12.50`, "crypto_amount", `"999"`), "amount = 12.5", "",
			map[string]any{"crypto_amount": "12.5", "fiat_amount": "12.50", "fiat_currency": "USD"}},
		{append(byFiat, "fiat_amount", `"7.0000019"`, "crypto_amount", `".5"`), "amount = 7.000001", "",
			map[string]any{"crypto_amount": "7.000001", "fiat_amount": "7.0000019"}},
	} {
		if c.reference == "" {
			c.reference = fmt.Sprintf("edge-%d", i)
			c.changes = append(c.changes, "reference_id", quote(c.reference))
		}
		status, got := s.payin(c.changes...)
		if status != http.StatusOK || got.at("data.reference_id") != c.reference {
			t.Errorf("%.60v: %d %v", c.changes, status, got)
			continue
		}
		for field, want := range c.answered {
			got.wants(t, map[string]any{"data." + field: want})
		}
		if n := s.count("select count(*) from payins where id = ? and "+c.kept, got.at("data.internal_reference")); n != 1 {
			t.Errorf("%.60v: not %s", c.changes, c.kept)
		}
		if _, again := s.payin(append(c.changes, "reference_id", quote(" "+c.reference))...); again.code() != "duplicate_reference_id" {
			t.Errorf("%.60v again: %v", c.changes, again)
		}
	}
}

// The fiat of a payin is the one it names in any case, else the account's, else USD.
func TestPayinFiatCurrency(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payin request object: fiat_currency")
	s := newShop(t)
	for i, c := range []struct{ preferred, named, want string }{
		{"", ``, "USD"}, {"BRL", ``, "BRL"}, {"BRL", `"eUr"`, "EUR"}, {"BRL", `"jpy"`, "JPY"}, {"AUD", ``, "USD"}, // AUD is not accepted
	} {
		if c.preferred != "" {
			s.exec("update merchants set preferred_fiat = ?", c.preferred)
		}
		s.exec("update fiats set accepted = code <> 'AUD'")
		_, got := s.payin("fiat_currency", c.named, "reference_id", fmt.Sprintf(`"fiat-%d"`, i))
		got.wants(t, map[string]any{"data.fiat_currency": c.want})
	}
}

// payment_status is null without a payment, and compares the received amount from the first one on, also where it counts
// nothing for want of a price.
func TestPaymentStatus(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payin record: payment_status", "api-v1 §Payin record: txid")
	s := newShop(t)
	_, created := s.payin()
	id := created.at("data.internal_reference").(string)
	s.received(id, "tx-0", "USDT", "10", "0", "seen", nil, 0)
	for i, c := range []struct {
		counted  string
		received string
		want     any
	}{
		{"", "0", nil}, {"0", "0", "partial"}, {"9.999999", "9.999999", "partial"}, {"0.000001", "10", "exact"},
		{"0.000001", "10.000001", "overpaid"},
	} {
		if c.counted != "" {
			s.received(id, fmt.Sprintf("tx-%d", i), "TRX", "4", c.counted, "credited", 1, 1)
		}
		s.exec("update payins set received = ?", c.received)
		record := s.get("/v1/check-payin/" + id)
		record.wants(t, map[string]any{"deposit.payment_status": c.want, "deposit.received_amount": c.received})
		if (record.at("deposit.txid") == nil) != (c.want == nil) || len(record.list("deposit.payments")) != i {
			t.Errorf("received %s: %v", c.received, record)
		}
	}
}
