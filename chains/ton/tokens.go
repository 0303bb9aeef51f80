package ton

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/shopspring/decimal"
	"github.com/xssnick/tonutils-go/address"

	"causeway/chains"
	"causeway/internal/pay"
)

const (
	coinDecimals = 9
	maxExponent  = 80  // no amount has more zeros or decimals
	maxBits      = 120 // of the units of a jetton
)

// token is a currency on the chain: a jetton by its master, or the native coin.
type token struct {
	symbol   string
	native   bool
	master   account
	decimals int32
}

// coin is TON. Its units are called nanotons.
var coin = func() token {
	n, _ := pay.NetworkNamed(Network)
	return token{symbol: n.Coin, native: true, decimals: coinDecimals}
}()

// masterOf reads the address of a jetton's master, which nobody can pay to.
func masterOf(text string) (account, error) {
	parsed, err := address.ParseAddr(text)
	if err != nil {
		if parsed, err = address.ParseRawAddr(text); err != nil {
			return account{}, chains.ErrFormat
		}
	}
	a, ok := accountOf(parsed)
	if !ok || parsed.IsTestnetOnly() {
		return account{}, chains.ErrFormat
	}
	return a, nil
}

// tables are the watched tokens. They never change: Watch replaces them.
type tables struct {
	bySymbol map[string]token // the native coin included
	added    map[string]account
}

// jettons are the tokens but the native coin, by symbol in order.
func (t *tables) jettons() (out []token) {
	for _, symbol := range slices.Sorted(maps.Keys(t.bySymbol)) {
		if it := t.bySymbol[symbol]; !it.native {
			out = append(out, it)
		}
	}
	return out
}

// tablesOf returns the tokens of the settings.
func tablesOf(cfg Config) (*tables, error) {
	t := &tables{bySymbol: map[string]token{coin.symbol: coin}, added: map[string]account{}}
	for symbol, said := range cfg.Tokens {
		master, err := masterOf(said.Contract)
		if err != nil {
			return nil, fmt.Errorf("tokens: %s: %w", symbol, err)
		}
		t.bySymbol[symbol] = token{symbol: symbol, master: master, decimals: said.Decimals}
	}
	return t, nil
}

// Watch adds tokens of the catalogue to those followed and paid with, while the connector runs. Known symbols and masters stay unchanged.
// The error names a token added before with another master.
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
		master, err := masterOf(t.Contract)
		if was, added := now.added[t.Symbol]; added && (err != nil || was != master) {
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
	now := &tables{maps.Clone(was.bySymbol), maps.Clone(was.added)}
	for _, t := range missing {
		master, err := masterOf(t.Contract)
		taken := slices.ContainsFunc(now.jettons(), func(other token) bool { return other.master == master })
		_, known := now.bySymbol[t.Symbol]
		switch {
		case known:
		case err != nil:
			c.log.WithField("token", t.Symbol).Warn("its contract is no address of TON")
		case taken:
			c.log.WithField("token", t.Symbol).Warn("its contract is watched already under another symbol")
		default:
			now.bySymbol[t.Symbol] = token{symbol: t.Symbol, master: master, decimals: int32(t.Decimals)}
			now.added[t.Symbol] = master
			c.log.WithField("token", t.Symbol).WithField("contract", t.Contract).Info("a token is watched from now on")
		}
	}
	c.known.Store(now)
	return now
}

// Watched counts the watched tokens. It only grows.
func (c *Connector) Watched() int { return len(c.known.Load().bySymbol) - 1 }

// amount returns units in the token, exactly.
func (t token) amount(units *big.Int) decimal.Decimal {
	return decimal.NewFromBigInt(units, -t.decimals)
}

// errAmount says that an amount is finer than the token, or is none.
var errAmount = errors.New("not an amount of it")

// units returns an amount in units. An amount finer than the token's digits is refused, never cut.
func (t token) units(amount decimal.Decimal) (*big.Int, error) {
	shifted, exponent := amount.Shift(t.decimals), amount.Exponent()
	if amount.Sign() <= 0 || exponent > maxExponent || exponent < -maxExponent || !shifted.IsInteger() || shifted.BigInt().BitLen() > maxBits {
		return nil, fmt.Errorf("%w: %s: %w", chains.ErrUnpayable, t.symbol, errAmount)
	}
	return shifted.BigInt(), nil
}

// short is an error for an amount that is missing.
func short(t token, missing *big.Int) error {
	return &chains.Short{Token: t.symbol, Missing: t.amount(missing)}
}
