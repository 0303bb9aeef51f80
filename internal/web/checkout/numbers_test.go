package checkout

import (
	"net/http/httptest"
	"testing"

	"github.com/shopspring/decimal"
)

// A number is written with the marks of the page's language, and of the visitor's region if both speak the same one.
func TestNumbersInTheVisitorsMarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, header, number, want string }{
		{"", "", "1234567.891", "1,234,567.891"}, {"", "pt-BR", "19.999", "19,999"}, {"", "pt-BR", "19999", "19.999"},
		{"", "es", "1234.5", "1.234,5"}, {"", "es-MX", "1234.5", "1,234.5"}, {"", "he;q=0.9, es-AR;q=0.8", "0.00000001", "0,00000001"},
		{"lang=pt", "en-US", "1234.5", "1.234,5"}, {"lang=en", "es-ES", "1234.5", "1,234.5"}, {"", "en-CH", "1234.5", "1,234.5"},
		{"", ";;;", "1234.5", "1,234.5"}, {"lang=es", "es-MX,en", "1234.5", "1,234.5"},
		{"", "fr-CA, es-AR;q=0.8", "1234.5", "1\u00a0234,5"}, {"", "de-CH", "1234.5", "1’234.5"}, {"", "ru", "0.5", "0,5"},
		{"", "ar-EG", "1234.5", "1,234.5"}, {"", "zh", "1234.5", "1,234.5"},
	} {
		r := httptest.NewRequest("GET", "/pay/x?"+c.query, nil)
		r.Header.Set("Accept-Language", c.header)
		if got := wordsFor(r).N(c.number); got != c.want {
			t.Errorf("%q %q: %s, want %s", c.query, c.header, got, c.want)
		}
	}
}

func TestFiatHasTheDecimalsOfItsCurrency(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ amount, code, want string }{
		{"25.1", "USD", "25.10"}, {"2500", "JPY", "2500"}, {"2500.00", "JPY", "2500"}, {"2500.4", "JPY", "2500.4"}, {"1.5", "KWD", "1.500"},
		{"1.2345", "BRL", "1.2345"}, {"7", "no code", "7.00"},
	} {
		if got := fiatText(decimal.RequireFromString(c.amount), c.code); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.amount, c.code, got, c.want)
		}
	}
}
