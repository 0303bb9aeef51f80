package catalogue

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"causeway/chains"
	"causeway/internal/store"
)

// SameContracts makes sure that a network's connector watches the tokens of the catalogue. It reports, as an error, that the
// catalogue names another contract for a token than the one that this process watches: what is paid to the new contract would not
// be seen here, and what is sent would be the former token.
func (c *Catalogue) SameContracts(ctx context.Context, s *store.Store, n *chains.Network) error {
	if n.Tokens == nil && n.Contracts == nil {
		return nil
	}
	cat, err := c.On(ctx, s, n)
	if err != nil {
		return err
	}
	for _, symbol := range slices.Sorted(maps.Keys(n.Contracts)) {
		if t := cat.Token(symbol, n.Name); t != nil && t.Contract != n.Contracts[symbol] {
			return fmt.Errorf("the contract of %s on %s was changed, and this process has the former one: restart every role", symbol, n.Name)
		}
	}
	return nil
}

// On returns the catalogue, all of whose tokens a network's connector watches then, also those that were added since it
// was opened.
func (c *Catalogue) On(ctx context.Context, s *store.Store, n *chains.Network) (*Table, error) {
	cat, err := c.Now(ctx, s)
	if err != nil || n.Tokens == nil {
		return cat, err
	}
	return cat, n.Tokens.Watch(cat.contracts(n.Name)...)
}

// contracts returns the tokens of a network that are contracts.
func (t *Table) contracts(network string) (out []chains.Token) {
	for pair, token := range t.Tokens {
		if pair[1] == network && token.Contract != "" {
			out = append(out, chains.Token{Symbol: token.Symbol, Contract: token.Contract, Decimals: token.Decimals})
		}
	}
	return out
}
