package chains

import "context"

// Token is a token of the catalogue as a connector watches it.
type Token struct {
	Symbol, Contract string
	Decimals         int
}

// TokenBook takes tokens into what a connector watches, and looks at contracts that are not watched yet.
type TokenBook interface {
	// Watch makes sure that tokens are watched. What is known stays what it is; the error names a token that this process has with
	// another contract.
	Watch(tokens ...Token) error
	// Watched is a number that grows whenever another token is watched.
	Watched() int
	// Inspect asks a contract what it says of itself, and tries a transfer without sending one. The holder is who would send it;
	// where it is empty, somebody is looked for in the newest blocks. The error wraps ErrFormat or ErrNoToken.
	Inspect(ctx context.Context, contract, holder string) (*TokenFacts, error)
}

// TokenFacts is what a contract says and does.
type TokenFacts struct {
	Contract string `json:"contract"` // in its canonical spelling
	Symbol   string `json:"symbol"`   // as the contract says it, which may be anything
	Decimals int    `json:"decimals"`
	// Habits are where it is no plain ERC-20 token, in words. Harms says that one of them makes payouts go wrong.
	Habits []string `json:"habits"`
	Harms  bool     `json:"harms"`
	// Untried says why no transfer was tried; empty where one was.
	Untried string `json:"untried,omitempty"`
}
