package pay

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/shopspring/decimal"
)

// The text of an amount goes into seals and digests: not one may differ from decimal's own.
func TestDecimalTextIsThatOfDecimal(t *testing.T) {
	t.Parallel()
	same := func(d decimal.Decimal) {
		if got, want := DecimalText(d), d.String(); got != want {
			t.Errorf("%s, coefficient %s, exponent %d: %s", want, d.Coefficient(), d.Exponent(), got)
		}
	}
	same(decimal.Decimal{})
	var edges []*big.Int
	for digits := range 40 {
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
		for _, shift := range []int64{-1, 0, 1, 5} {
			edges = append(edges, new(big.Int).Add(power, big.NewInt(shift)))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		edges = append(edges, big.NewInt(random.Int64()>>random.IntN(63)))
	}
	for _, n := range append(edges, big.NewInt(0), big.NewInt(-1<<63), big.NewInt(1<<63-1)) {
		for exponent := int32(-45); exponent <= 20; exponent++ {
			same(decimal.NewFromBigInt(n, exponent))
			same(decimal.NewFromBigInt(new(big.Int).Neg(n), exponent))
		}
	}
}

func BenchmarkDecimalText(b *testing.B) {
	amount := decimal.RequireFromString("12.345678")
	b.ReportAllocs()
	for b.Loop() {
		DecimalText(amount)
	}
}
