package evm

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/shopspring/decimal"

	"causeway/chains"
)

const (
	coinDecimals = 18
	gweiDecimals = 9
	maxExponent  = 80 // no amount of 256 bits has more zeros or decimals
)

// token is what money is here: a contract, or the native coin.
type token struct {
	symbol   string
	native   bool
	contract common.Address
	decimals int32
}

// tables returns what is known by symbol and by the contract whose logs show it.
func tables(cfg Config, coin string) (bySymbol map[string]token, logged map[common.Address]token) {
	native := token{symbol: coin, native: true, decimals: coinDecimals}
	bySymbol = map[string]token{coin: native}
	logged = map[common.Address]token{}
	if cfg.NativeLogs != "" {
		logged[common.HexToAddress(cfg.NativeLogs)] = native
	}
	for symbol, t := range cfg.Tokens {
		known := token{symbol: symbol, contract: common.HexToAddress(t.Contract), decimals: t.Decimals}
		bySymbol[symbol] = known
		logged[known.contract] = known
	}
	return bySymbol, logged
}

// amount returns base units in the token, exactly.
func (t token) amount(units *big.Int) decimal.Decimal {
	return decimal.NewFromBigInt(units, -t.decimals)
}

// units returns an amount in base units. What cannot be written in the token's digits is refused, never cut.
func (t token) units(amount decimal.Decimal) (*big.Int, error) {
	shifted, exponent := amount.Shift(t.decimals), amount.Exponent()
	if amount.Sign() <= 0 || exponent > maxExponent || exponent < -maxExponent || !shifted.IsInteger() || shifted.BigInt().BitLen() > 256 {
		return nil, fmt.Errorf("%w: not an amount of %s", chains.ErrUnpayable, t.symbol)
	}
	return shifted.BigInt(), nil
}
