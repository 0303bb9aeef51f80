package api

import (
	"fmt"
	"net/http"
	"testing"

	"causeway/internal/proof/contract"
)

// Clients' ways to send "nothing": null, an empty text, an empty query parameter.
func TestBlankFields(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §13: An optional field that is null")
	s := newShop(t, holding("1000"))
	n := 0
	reference := func() string { n++; return fmt.Sprintf(`"blank-%d"`, n) }
	for _, field := range []string{"memo", "customer_info", "fiat_currency"} {
		for _, blank := range []string{"null", `""`} {
			if status, got := s.payin(field, blank, "reference_id", reference()); status != 200 || got.at("data.fiat_currency") != "USD" {
				t.Errorf("payin %s %s: %d %v", field, blank, status, got)
			}
			if status, got := s.call(http.MethodPost, "/v1/payout", item("", field, blank, "reference_id", reference())); status != 200 ||
				got.at("results.0.memo") != nil {
				t.Errorf("payout %s %s: %d %v", field, blank, status, got)
			}
		}
	}
	for blank, code := range map[string]string{"null": "missing_required_fields", `""`: "invalid_parameters"} {
		for _, field := range []string{"wallet", "crypto_currency", "process_by", "reference_id", "network", "feetakenfromamount", "webhook_url"} {
			batch := batchOf(item("", "reference_id", reference(), field, blank), item("", "reference_id", reference()))
			_, got := s.call(http.MethodPost, "/v1/payout", batch)
			got.wants(t, map[string]any{"results.0.error.code": code, "results.1.status": "created"})
			if fields, _ := got.at("results.0.error.details.fields").(map[string]any); len(fields) != 1 || fields[field] == nil {
				t.Errorf("%s %s: %v", field, blank, got)
			}
		}
	}
	for _, field := range []string{"crypto_amount", "fiat_amount"} {
		if status, got := s.payin(field, `""`, "reference_id", reference()); status != 400 || got.code() != "invalid_parameters" {
			t.Errorf("payin %s: %d %v", field, status, got)
		}
	}
	s.get("/v1/list-payin?page=&per_page=&status=&crypto_currency=&network=&date_from=&date_to=&reference_id=")
	s.get("/v1/statements?type=&direction=&balance=&network=&date_from=&date_to=&min_amount=&max_amount=&reference_id=")
}
