package ledger

import (
	"math"

	"github.com/shopspring/decimal"
)

// CostShares splits what a transaction cost among its payments by their sizes, in the units of the cost's last digit, and in eight
// digits at least. The shares add up to the cost.
func CostShares(cost decimal.Decimal, sizes []int64) []decimal.Decimal {
	var all, upTo int64
	for _, size := range sizes {
		all += size
	}
	shares, given := make([]decimal.Decimal, len(sizes)), decimal.Zero
	if all == 0 {
		return shares
	}
	for i, size := range sizes {
		upTo += size
		sum := cost.Mul(decimal.NewFromInt(upTo)).DivRound(decimal.NewFromInt(all), digits(cost))
		shares[i], given = sum.Sub(given), sum
	}
	return shares
}

// fewestDigits are those of a coin of Bitcoin and its kin. An amount is kept without the zeros at its end: 0.0001 has not four.
const fewestDigits = 8

// digits is how many digits a share of an amount has after its point.
func digits(amount decimal.Decimal) int32 {
	return max(fewestDigits, min(-amount.Exponent(), math.MaxInt16))
}
