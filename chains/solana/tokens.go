package solana

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/solana/client"
)

// token is a currency on the chain: a mint, or the native coin.
type token struct {
	symbol   string
	native   bool
	mint     key
	decimals int32
	program  *key // that the mint belongs to; nil until the node has told it
}

// tables are the watched tokens. They never change: others replace them.
type tables struct {
	bySymbol map[string]token // the native coin included
	byMint   map[key]token
	added    map[string]key
	refused  map[key]string // mints that do harm, and why; they are not watched
}

// tablesOf returns the tokens of the settings.
func tablesOf(cfg Config) *tables {
	t := &tables{bySymbol: map[string]token{coin.symbol: coin}, byMint: map[key]token{}, added: map[string]key{}, refused: map[key]string{}}
	for symbol, said := range cfg.Tokens {
		known := token{symbol: symbol, mint: mustKey(said.Contract), decimals: said.Decimals} // Validate has read it
		t.bySymbol[symbol], t.byMint[known.mint] = known, known
	}
	return t
}

func (t *tables) clone() *tables {
	return &tables{maps.Clone(t.bySymbol), maps.Clone(t.byMint), maps.Clone(t.added), maps.Clone(t.refused)}
}

// Watch adds tokens of the catalogue to those followed and paid with, while the connector runs. Known symbols and mints stay unchanged. The
// error names a token added before with another mint.
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
		mint, ok := readKey(t.Contract)
		if was, added := now.added[t.Symbol]; added && (!ok || was != mint) {
			return fmt.Errorf("the contract of %s on %s was changed, and this process has the former one: restart every role", t.Symbol, Network)
		}
	}
	return nil
}

// add replaces the tables by larger ones.
func (c *Connector) add(missing []chains.Token) *tables {
	c.adding.Lock()
	defer c.adding.Unlock()
	now := c.known.Load().clone()
	for _, t := range missing {
		mint, ok := readKey(t.Contract)
		added := token{symbol: t.Symbol, mint: mint, decimals: int32(t.Decimals)}
		_, known := now.bySymbol[t.Symbol]
		other, taken := now.byMint[mint]
		switch {
		case known:
		case !ok:
			c.log.WithField("token", t.Symbol).Warn("its contract is no mint of Solana")
		case taken:
			c.log.WithField("token", t.Symbol).Warnf("its contract is watched already, as %s", other.symbol)
		default:
			now.bySymbol[t.Symbol], now.byMint[mint], now.added[t.Symbol] = added, added, mint
			c.log.WithField("token", t.Symbol).WithField("contract", t.Contract).Info("a token is watched from now on")
		}
	}
	c.known.Store(now)
	return now
}

// Watched counts the watched tokens. It only grows.
func (c *Connector) Watched() int { return len(c.known.Load().byMint) }

// tokens returns the tables with the program of each mint. The node is asked about a mint once. One that could keep a part of a payment, or
// take it back, is refused: its money is not counted.
func (v view) tokens(ctx context.Context) (*tables, error) {
	now := v.known.Load()
	var unknown []token
	for mint, t := range now.byMint {
		if t.program == nil && now.refused[mint] == "" {
			unknown = append(unknown, t)
		}
	}
	if len(unknown) == 0 {
		return now, nil
	}
	found := make([]*mintFacts, len(unknown))
	for i, t := range unknown {
		var err error
		if found[i], err = v.mint(ctx, t.mint); err != nil {
			return nil, fmt.Errorf("mint of %s: %w", t.symbol, err)
		}
	}
	return v.learn(unknown, found), nil
}

// learn replaces the tables by those that know the programs of mints.
func (c *Connector) learn(unknown []token, found []*mintFacts) *tables {
	c.adding.Lock()
	defer c.adding.Unlock()
	now := c.known.Load().clone()
	for i, t := range unknown {
		why := found[i].harm()
		if why == "" && found[i].decimals != t.decimals {
			why = fmt.Sprintf("it has %d decimals, not %d", found[i].decimals, t.decimals)
		}
		if why != "" {
			now.refused[t.mint] = why
			c.log.WithField("token", t.symbol).Error("the token is neither followed nor paid with: " + why)
			continue
		}
		t.program = &found[i].program
		now.bySymbol[t.symbol], now.byMint[t.mint] = t, t
	}
	c.known.Store(now)
	return now
}

// usable are the tokens that are followed.
func (t *tables) usable() (out []token) {
	for _, each := range t.byMint {
		if each.program != nil {
			out = append(out, each)
		}
	}
	slices.SortFunc(out, func(a, b token) int { return slices.Compare(a.mint[:], b.mint[:]) })
	return out
}

// mint asks for the facts of a mint. The error wraps chains.ErrNoToken if there is none.
func (v view) mint(ctx context.Context, at key) (*mintFacts, error) {
	read, err := v.accounts(ctx, []key{at}, 0)
	if err != nil {
		return nil, err
	}
	if read[0].account == nil {
		return nil, fmt.Errorf("%w: %s is no account", chains.ErrNoToken, at)
	}
	f, err := readMint(read[0].account)
	if err == nil {
		f.wrapped = at == wrappedMint
	}
	return f, err
}

// amount returns base units in the token, exactly.
func (t token) amount(units uint64) decimal.Decimal {
	return decimal.NewFromUint64(units).Shift(-t.decimals)
}

// units returns an amount in base units. An amount finer than the token's digits is refused, never cut.
func (t token) units(amount decimal.Decimal) (uint64, error) {
	shifted, exponent := amount.Shift(t.decimals), amount.Exponent()
	if amount.Sign() <= 0 || exponent > maxExponent || exponent < -maxExponent || !shifted.IsInteger() {
		return 0, fmt.Errorf("%w: not an amount of %s", chains.ErrUnpayable, t.symbol)
	}
	if !shifted.BigInt().IsUint64() {
		return 0, &chains.Short{Token: t.symbol, Missing: amount} // more than there is
	}
	return shifted.BigInt().Uint64(), nil
}

const maxExponent = 40 // no amount of 64 bits has more zeros or decimals

// lamports returns so many lamports in SOL.
func lamports(units uint64) decimal.Decimal { return coin.amount(units) }

// dataOf are the bytes of an account.
func dataOf(a *client.Account) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(a.Data[0])
	if err != nil || a.Data[1] != "base64" {
		return nil, odd("an account whose data is not base64")
	}
	return data, nil
}
