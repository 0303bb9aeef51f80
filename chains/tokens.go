package chains

import "context"

// Token is a token of the catalogue as a connector watches it.
type Token struct {
	Symbol, Contract string
	Decimals         int
}

// TokenBook adds tokens to those watched by a connector, and looks at contracts not yet watched.
type TokenBook interface {
	// Watch adds missing tokens. Known ones stay unchanged; the error names a token known to this process with another
	// contract.
	Watch(tokens ...Token) error
	// Watched is a number. It grows whenever another token is watched.
	Watched() int
	// Inspect asks a contract for its facts, and tries a transfer without sending one. The holder would be its sender; without
	// one, a holder is looked for in the newest blocks. The error wraps ErrFormat or ErrNoToken.
	Inspect(ctx context.Context, contract, holder string) (*TokenFacts, error)
}

// TokenFacts are a contract's answers and its behaviour.
type TokenFacts struct {
	Contract string `json:"contract"` // in its canonical spelling
	Symbol   string `json:"symbol"`   // as the contract says it: it may be anything
	Decimals int    `json:"decimals"`
	// Habits are its differences from a plain ERC-20 token, in words. Harms says whether one of them makes payouts go wrong.
	Habits []string `json:"habits"`
	Harms  bool     `json:"harms"`
	// Untried says why no transfer was tried; empty where one was.
	Untried string `json:"untried,omitempty"`
}
