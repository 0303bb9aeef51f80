package sandbox_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/sandbox"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
)

// TestConnector runs the suite on networks of each exclusion and shape: with tokens, without, with memos, with ids in base58.
//
// Covers operator §Sandbox networks: Simulated chains
// Covers operator §Sandbox networks: Payouts exclude each other
func TestConnector(t *testing.T) {
	for _, c := range []struct {
		network, foreign string
		tokens           []chaintest.Token
	}{
		{"Ethereum", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", []chaintest.Token{token("ETH", 18), token("USDT", 6)}},
		{"Bitcoin", "0xdAC17F958D2ee523a2206206994597C13D831ec7", []chaintest.Token{token("BTC", 8)}},
		{"Ripple", "0xdAC17F958D2ee523a2206206994597C13D831ec7", []chaintest.Token{token("XRP", 6)}},
		{"Solana", "0xdAC17F958D2ee523a2206206994597C13D831ec7", []chaintest.Token{token("SOL", 9), token("USDC", 6)}},
		{"Tron", "0xdAC17F958D2ee523a2206206994597C13D831ec7", []chaintest.Token{token("TRX", 6), token("USDT", 6)}},
	} {
		t.Run(c.network, func(t *testing.T) {
			chaintest.Run(t, func(t *testing.T) chaintest.Chain {
				n, db := open(t, c.network)
				return harness(n, sandbox.Operator{DB: db}, c.tokens, c.foreign)
			})
		})
	}
}

// plenty is the worth of each token of a hot wallet in USD: 80,000 ETH.
var plenty = decimal.New(25, 7)

// open makes one sandbox network in a database of its own.
func open(t *testing.T, name string) (*chains.Network, *bun.DB) {
	t.Helper()
	n, ok := pay.NetworkNamed(name)
	if !ok {
		t.Fatalf("no network %s", name)
	}
	db := testkit.DB(t)
	must(t, sandbox.Genesis(t.Context(), db, plenty, *n))
	return sandbox.OpenAll(db, []pay.Network{*n}, sandbox.Options{Signs: true, Seed: 1})[0], db
}

func harness(n *chains.Network, o sandbox.Operator, tokens []chaintest.Token, foreign string) chaintest.Chain {
	return chaintest.Chain{
		Network: n, Tokens: tokens, Foreign: foreign,
		Pay: func(t testing.TB, p chaintest.Payment) string {
			t.Helper()
			txid, err := o.Pay(t.Context(), sandbox.Payment{Network: n.Name, Token: p.Token, To: p.To, Amount: p.Amount, Memo: p.Memo})
			must(t, err)
			return txid
		},
		Mine: func(t testing.TB, blocks int) {
			t.Helper()
			_, err := o.Mine(t.Context(), n.Name, blocks)
			must(t, err)
		},
		Reorg: func(t testing.TB, depth int, drop ...string) {
			t.Helper()
			_, err := o.Reorg(t.Context(), n.Name, depth, drop...)
			must(t, err)
		},
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func amount(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func token(symbol string, decimals int32) chaintest.Token {
	return chaintest.Token{Symbol: symbol, Decimals: decimals}
}
