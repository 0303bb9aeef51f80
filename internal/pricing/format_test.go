package pricing_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"causeway/internal/pricing"
)

// Covers addendum §10: GET /v1/get-price
// Covers api-v1 §Versioning: changed · get-price
func TestFormat(t *testing.T) {
	t.Parallel()
	for price, want := range map[string]string{
		"63250.1":              "63.250,10",
		"63250.109":            "63.250,10",
		"1":                    "1,00",
		"1.999":                "1,99",
		"999.5":                "999,50",
		"1000":                 "1.000,00",
		"1234567.891":          "1.234.567,89",
		"0.25":                 "0,25000000",
		"0.99999999999":        "0,99999999",
		"0.1":                  "0,10000000",
		"0.0123456789":         "0,012345678",
		"0.000015873015873016": "0,000015873015",
		"0.000000000000000001": "0,0000000000000000010000000",
		"0.250000000000000000": "0,25000000",
	} {
		if got := pricing.Format(decimal.RequireFromString(price)); got != want {
			t.Errorf("%s is written %s, want %s", price, got, want)
		}
	}
}
