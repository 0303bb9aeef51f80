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

// token is a currency on the chain: a contract, or the native coin.
type token struct {
	symbol   string
	native   bool
	contract common.Address
	decimals int32
}

// tables are the watched tokens. They never change: Watch replaces them.
type tables struct {
	bySymbol map[string]token         // the native coin included
	logged   map[common.Address]token // by contract, with the contract of NativeLogs for the native coin
	added    map[string]common.Address
}

// tablesOf returns the tokens of the settings.
func tablesOf(cfg Config, coin string) *tables {
	native := token{symbol: coin, native: true, decimals: coinDecimals}
	t := &tables{bySymbol: map[string]token{coin: native}, logged: map[common.Address]token{}, added: map[string]common.Address{}}
	if cfg.NativeLogs != "" {
		t.logged[common.HexToAddress(cfg.NativeLogs)] = native
	}
	for symbol, said := range cfg.Tokens {
		known := token{symbol: symbol, contract: common.HexToAddress(said.Contract), decimals: said.Decimals}
		t.bySymbol[symbol] = known
		t.logged[known.contract] = known
	}
	return t
}

func (c *Connector) tokens() map[string]token { return c.known.Load().bySymbol }

func (c *Connector) logged() map[common.Address]token { return c.known.Load().logged }

// amount returns base units in the token, exactly.
func (t token) amount(units *big.Int) decimal.Decimal {
	return decimal.NewFromBigInt(units, -t.decimals)
}

// units returns an amount in base units. An amount finer than the token's digits is refused, never cut.
func (t token) units(amount decimal.Decimal) (*big.Int, error) {
	shifted, exponent := amount.Shift(t.decimals), amount.Exponent()
	if amount.Sign() <= 0 || exponent > maxExponent || exponent < -maxExponent || !shifted.IsInteger() || shifted.BigInt().BitLen() > 256 {
		return nil, fmt.Errorf("%w: not an amount of %s", chains.ErrUnpayable, t.symbol)
	}
	return shifted.BigInt(), nil
}
