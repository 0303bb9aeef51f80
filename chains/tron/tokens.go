package tron

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/internal/pay"
)

const (
	coinDecimals = 6
	maxExponent  = 80 // no amount of 256 bits has more zeros or decimals
)

// token is a currency on the chain: a contract, or the native coin.
type token struct {
	symbol   string
	native   bool
	staked   bool // of the native coin: what is staked counts
	contract common.Address
	decimals int32
}

// coin is TRX. Its units are called sun.
var coin = func() token {
	n, _ := pay.NetworkNamed(Network)
	return token{symbol: n.Coin, native: true, staked: true, decimals: coinDecimals}
}()

// spendable is TRX that is not staked.
var spendable = func() token {
	t := coin
	t.staked = false
	return t
}()

// tables are the watched tokens. They never change: Watch replaces them.
type tables struct {
	bySymbol   map[string]token // the native coin included
	byContract map[common.Address]token
	added      map[string]common.Address
}

// tablesOf returns the tokens of the settings.
func tablesOf(cfg Config) (*tables, error) {
	t := &tables{bySymbol: map[string]token{coin.symbol: coin}, byContract: map[common.Address]token{}, added: map[string]common.Address{}}
	for symbol, said := range cfg.Tokens {
		contract, err := addresses.TronAccount(said.Contract)
		if err != nil {
			return nil, fmt.Errorf("tokens: %s: %w", symbol, err)
		}
		known := token{symbol: symbol, contract: contract, decimals: said.Decimals}
		t.bySymbol[symbol], t.byContract[known.contract] = known, known
	}
	return t, nil
}

// Watch adds tokens of the catalogue to those followed and paid with, while the connector runs. Known symbols and contracts stay
// unchanged. The error names a token added before with another contract.
func (c *Connector) Watch(tokens ...chains.Token) error {
	now := c.known.Load()
	missing := slices.DeleteFunc(slices.Clone(tokens), func(t chains.Token) bool {
		_, known := now.bySymbol[t.Symbol]
		return known
	})
	if len(missing) > 0 {
		now = c.add(missing)
	}
	for _, t := range tokens {
		contract, err := addresses.TronAccount(t.Contract)
		if was, added := now.added[t.Symbol]; added && (err != nil || was != common.Address(contract)) {
			return fmt.Errorf("the contract of %s on %s was changed, and this process has the former one: restart every role", t.Symbol, Network)
		}
	}
	return nil
}

// add replaces the tables by larger ones.
func (c *Connector) add(missing []chains.Token) *tables {
	c.adding.Lock()
	defer c.adding.Unlock()
	was := c.known.Load()
	now := &tables{maps.Clone(was.bySymbol), maps.Clone(was.byContract), maps.Clone(was.added)}
	for _, t := range missing {
		contract, err := addresses.TronAccount(t.Contract)
		added := token{symbol: t.Symbol, contract: contract, decimals: int32(t.Decimals)}
		_, known := now.bySymbol[t.Symbol]
		other, taken := now.byContract[added.contract]
		switch {
		case known:
		case err != nil:
			c.log.WithField("token", t.Symbol).Warn("its contract is no address of Tron")
		case taken:
			c.log.WithField("token", t.Symbol).Warnf("its contract is watched already, as %s", other.symbol)
		default:
			now.bySymbol[t.Symbol], now.byContract[added.contract], now.added[t.Symbol] = added, added, added.contract
			c.log.WithField("token", t.Symbol).WithField("contract", t.Contract).Info("a token is watched from now on")
		}
	}
	c.known.Store(now)
	return now
}

// Watched counts the watched tokens. It only grows.
func (c *Connector) Watched() int { return len(c.known.Load().byContract) }

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

// sun returns so many sun in TRX.
func sun(units int64) decimal.Decimal { return decimal.New(units, -coinDecimals) }
