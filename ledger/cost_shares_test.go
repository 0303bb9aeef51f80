package ledger_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"causeway/ledger"
)

func TestCostIsSharedBySize(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		cost  string
		sizes []int64
		want  []string
	}{
		"zeros at the end":        {"0.0001", []int64{34, 34, 32}, []string{"0.000034", "0.000034", "0.000032"}},
		"alone":                   {"0.00000141", []int64{31}, []string{"0.00000141"}},
		"by size":                 {"0.00000300", []int64{31, 62, 207}, []string{"0.00000031", "0.00000062", "0.00000207"}},
		"the rest is not lost":    {"0.00000100", []int64{1, 1, 1}, []string{"0.00000033", "0.00000034", "0.00000033"}},
		"one that paid nothing":   {"0.00000100", []int64{0, 43, 0}, []string{"0", "0.000001", "0"}},
		"nothing was paid at all": {"0.00000100", []int64{0, 0}, []string{"0", "0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var shares []string
			for _, share := range ledger.CostShares(decimal.RequireFromString(of.cost), of.sizes) {
				shares = append(shares, share.String())
			}
			require.Equal(t, of.want, shares)
		})
	}
}

func TestSharesAddUpToTheCost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cost := decimal.New(rapid.Int64Range(0, 1<<40).Draw(t, "cost"), -8)
		sizes := rapid.SliceOfN(rapid.Int64Range(1, 100), 1, 100).Draw(t, "sizes")
		sum := decimal.Zero
		for _, share := range ledger.CostShares(cost, sizes) {
			if share.IsNegative() {
				t.Fatalf("a share of %s is %s", cost, share)
			}
			sum = sum.Add(share)
		}
		if !sum.Equal(cost) {
			t.Fatalf("shares add up to %s of %s", sum, cost)
		}
	})
}
