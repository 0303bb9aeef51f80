package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"causeway/internal/proof/contract"
)

func TestPayinLeadsBackToTheShop(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §The payers' page: return_url of a payin", "api-v1 §The payers' page: The record carries return_url")
	s := newShop(t)
	for given, want := range map[string]any{
		`"https://shop.test/orders/7?a=b#c"`: "https://shop.test/orders/7?a=b#c", `"http://localhost:3000/"`: "http://localhost:3000/", `""`: nil, "null": nil,
	} {
		status, created := s.payin("return_url", given, "reference_id", fmt.Sprintf("%q", "of "+given))
		if status != http.StatusOK {
			t.Fatalf("%s: %d %v", given, status, created)
		}
		if got := s.get("/v1/check-payin/" + fmt.Sprint(created.at("data.internal_reference"))).at("deposit.return_url"); got != want {
			t.Errorf("%s: the record says %v", given, got)
		}
	}
	for _, given := range []string{`"javascript:alert(1)"`, `"//shop.test"`, `"/orders"`, `"https://user@shop.test/"`, `"https://"`, `"https://shop.test/ x"`, `"ftp://shop.test/"`, `"https://:80/"`, `"https://shop.test:99999/"`, `"https://shop.test/\u2028x"`,
		`"https:\\\\shop.test"`, `7`, `{}`, `"https://shop.test/` + strings.Repeat("a", 740) + `"`, `"https://shop.test/\tx"`} {
		status, got := s.payin("return_url", given)
		if status != http.StatusBadRequest || got.code() != "invalid_parameters" || got.at("error.details.fields.return_url") == nil {
			t.Errorf("%.40s: %d %v", given, status, got)
		}
	}
}
