package utxo

import (
	"github.com/shopspring/decimal"
)

// Sizes of the parts of a transaction, in weight units: four for a byte, one for a byte of the witness. Signatures have their greatest
// length.
const (
	witnessScale = 4
	around       = 4 * (4 + 4)
	segwitMark   = 2
	legacyIn     = 4 * (36 + 4 + 1 + 107)
	segwitIn     = 4*(36+4+1) + 1 + 1 + 72 + 1 + 33
)

// mostCoins is how many coins one transaction spends at most: nodes do not pass on larger ones.
const mostCoins = 500

// inWeight is the weight of an input of ours.
func (c *coin) inWeight() int {
	if c.segwit {
		return segwitIn
	}
	return legacyIn
}

func outWeight(script []byte) int { return witnessScale * (8 + countSize(len(script)) + len(script)) }

// size returns the virtual bytes of a transaction that spends coins of ours.
func (c *coin) size(coins int, scripts [][]byte) int64 {
	weight := around + witnessScale*(countSize(coins)+countSize(len(scripts))) + coins*c.inWeight()
	if c.segwit {
		weight += segwitMark
	}
	for _, s := range scripts {
		weight += outWeight(s)
	}
	return int64((weight + witnessScale - 1) / witnessScale)
}

// countSize is how many bytes a count takes.
func countSize(n int) int {
	if n < 0xfd {
		return 1
	}
	return 3
}

// coinFee returns what one more coin in a transaction costs.
func (c *coin) coinFee(rate decimal.Decimal) int64 {
	return feeOf(rate, int64(c.inWeight()/witnessScale+1))
}

// feeOf returns the fee of so many bytes, in units.
func feeOf(rate decimal.Decimal, size int64) int64 {
	return rate.Mul(decimal.NewFromInt(size)).Ceil().IntPart()
}
