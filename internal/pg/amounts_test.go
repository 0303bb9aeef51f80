package pg

import (
	"testing"

	"github.com/shopspring/decimal"
)

// readAmount reads the same as decimal, to the digit: also where it hands on.
func TestReadAmount(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "0.00000000", "1", "12.50000000", "0.00000001", "999999999.99999999", "123456789012345678",
		"1234567890123456789", "99999999999999999999999999999.99999999", "-1.5", "-0.00000001", "1e3", "1.", ".5"} {
		want, err := decimal.NewFromString(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readAmount(text); err != nil || !got.Equal(want) || got.String() != want.String() ||
			got.StringFixed(8) != want.StringFixed(8) {
			t.Errorf("%s was read as %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "NaN", "1.2.3", "1 2", "x"} {
		if got, err := readAmount(text); err == nil {
			t.Errorf("%q was read as %s", text, got)
		}
	}
}
