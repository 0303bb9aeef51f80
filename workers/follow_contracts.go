package workers

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"causeway/chains"
)

// sameContracts makes sure that a network's connector watches the tokens of the catalogue. It reports, as an error, that the
// catalogue names another contract for a token than the one that this process watches: what is paid to the new contract would not
// be seen here, and what is sent would be the former token.
func (w *Workers) sameContracts(ctx context.Context, n *chains.Network) error {
	if n.Tokens == nil && n.Contracts == nil {
		return nil
	}
	cat, err := w.tokensOn(ctx, n)
	if err != nil {
		return err
	}
	for _, symbol := range slices.Sorted(maps.Keys(n.Contracts)) {
		if t := cat.token(symbol, n.Name); t != nil && t.Contract != n.Contracts[symbol] {
			return fmt.Errorf("the contract of %s on %s was changed, and this process has the former one: restart every role", symbol, n.Name)
		}
	}
	return nil
}

// tokensOn returns the catalogue, all of whose tokens a network's connector watches then, also those that were added since it
// was opened.
func (w *Workers) tokensOn(ctx context.Context, n *chains.Network) (*tokenTable, error) {
	cat, err := w.catalogue.now(ctx, w.Store)
	if err != nil || n.Tokens == nil {
		return cat, err
	}
	return cat, n.Tokens.Watch(cat.contracts(n.Name)...)
}

// contracts returns the tokens of a network that are contracts.
func (t *tokenTable) contracts(network string) (out []chains.Token) {
	for pair, token := range t.tokens {
		if pair[1] == network && token.Contract != "" {
			out = append(out, chains.Token{Symbol: token.Symbol, Contract: token.Contract, Decimals: token.Decimals})
		}
	}
	return out
}

// readBlocks reads blocks with all tokens of the catalogue watched. A token may be added, and paid, while blocks are read: they are
// read again then.
func (w *Workers) readBlocks(ctx context.Context, n *chains.Network, from int64) (blocks []chains.Block, err error) {
	for again := true; again; {
		before := tokensWatched(n)
		if blocks, err = n.Scanner.Blocks(ctx, from, blocksAtOnce); err != nil {
			return nil, fmt.Errorf("blocks of %s: %w", n.Name, err)
		}
		if err := w.sameContracts(ctx, n); err != nil {
			return nil, err
		}
		again = tokensWatched(n) != before
	}
	return blocks, nil
}

func tokensWatched(n *chains.Network) int {
	if n.Tokens == nil {
		return 0
	}
	return n.Tokens.Watched()
}
