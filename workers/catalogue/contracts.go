package catalogue

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"causeway/chains"
	"causeway/internal/store"
)

// SameContracts makes a network's connector watch the tokens of the catalogue. It fails if the catalogue names another contract for a
// token than the one watched by this process: payments to the new contract would not be seen here, and payouts would be in the former
// token.
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

// On returns the catalogue, and makes a network's connector watch all of its tokens, also those added since it was opened.
func (c *Catalogue) On(ctx context.Context, s *store.Store, n *chains.Network) (*Table, error) {
	cat, err := c.Now(ctx, s)
	if err != nil || n.Tokens == nil {
		return cat, err
	}
	return cat, n.Tokens.Watch(cat.contracts(n.Name)...)
}

// contracts returns the tokens of a network with contracts.
func (t *Table) contracts(network string) (out []chains.Token) {
	for pair, token := range t.Tokens {
		if pair[1] == network && token.Contract != "" {
			out = append(out, chains.Token{Symbol: token.Symbol, Contract: token.Contract, Decimals: token.Decimals})
		}
	}
	return out
}
