package evm

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains"
)

var _ chains.TokenBook = (*Connector)(nil)

// Watch adds tokens of the catalogue to those followed and paid with, while the connector runs. Known symbols and contracts
// stay unchanged. The error names a token added before with another contract.
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
		if was, added := now.added[t.Symbol]; added && was != common.HexToAddress(t.Contract) {
			return fmt.Errorf("the contract of %s on %s was changed, and this process has the former one: restart every role", t.Symbol, c.cfg.Network)
		}
	}
	return nil
}

// add replaces the tables by larger ones.
func (c *Connector) add(missing []chains.Token) *tables {
	c.adding.Lock()
	defer c.adding.Unlock()
	was := c.known.Load()
	now := &tables{maps.Clone(was.bySymbol), maps.Clone(was.logged), maps.Clone(was.added)}
	for _, t := range missing {
		added := token{symbol: t.Symbol, contract: common.HexToAddress(t.Contract), decimals: int32(t.Decimals)}
		_, known := now.bySymbol[t.Symbol]
		other, taken := now.logged[added.contract]
		switch {
		case known:
		case taken:
			c.log.WithField("token", t.Symbol).Warnf("its contract is watched already, as %s", other.symbol)
		default:
			now.bySymbol[t.Symbol], now.logged[added.contract], now.added[t.Symbol] = added, added, added.contract
			c.log.WithField("token", t.Symbol).WithField("contract", t.Contract).Info("a token is watched from now on")
		}
	}
	c.known.Store(now)
	return now
}

// Watched counts the watched tokens. It only grows.
func (c *Connector) Watched() int { return len(c.known.Load().logged) }
