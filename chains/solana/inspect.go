package solana

import (
	"context"
	"fmt"

	"causeway/chains"
)

// Inspect implements chains.TokenBook: it reads the mint. Its program is Solana's own, so no transfer has to be tried: the habits of a token
// are its extensions. A mint does not tell a symbol.
func (c *Connector) Inspect(ctx context.Context, contract, _ string) (*chains.TokenFacts, error) {
	at, ok := readKey(contract)
	if !ok {
		return nil, fmt.Errorf("contract: %w", chains.ErrFormat)
	}
	if known, watched := c.known.Load().byMint[at]; watched {
		return nil, fmt.Errorf("%s is watched already, as %s", contract, known.symbol)
	}
	var f *mintFacts
	err := c.use(ctx, func(v view) (err error) {
		f, err = v.mint(ctx, at)
		return err
	})
	if err != nil {
		return nil, err
	}
	facts := &chains.TokenFacts{Contract: at.String(), Decimals: int(f.decimals), Habits: []string{}, Untried: "every token here is moved by the chain's own program"}
	if f.mints {
		facts.Habits = append(facts.Habits, "its issuer can make more of it")
	}
	if f.freezes {
		facts.Habits = append(facts.Habits, "its issuer can freeze accounts")
	}
	if harm := f.harm(); harm != "" {
		facts.Habits, facts.Harms = append(facts.Habits, harm), true
	}
	return facts, nil
}
