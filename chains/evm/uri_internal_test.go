package evm

import (
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

func TestURIs(t *testing.T) {
	t.Parallel()
	usdc := chains.Token{Symbol: "USDC", Contract: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", Decimals: 6}
	for name, c := range map[string]struct {
		chain        uint64
		token        chains.Token
		amount, want string
	}{
		"ether":         {1, chains.Token{Decimals: 18}, "1.00000001", "ethereum:0xAb@1?value=1000000010000000000"},
		"an ERC-20":     {1, usdc, "25.1", "ethereum:" + usdc.Contract + "@1/transfer?address=0xAb&uint256=25100000"},
		"another chain": {137, chains.Token{Decimals: 18}, "2", "ethereum:0xAb@137?value=2000000000000000000"},
		"no amount":     {137, chains.Token{Decimals: 18}, "0", "ethereum:0xAb@137"},
	} {
		connector := &Connector{cfg: Config{ChainID: c.chain}}
		got, is := connector.uri(chains.Payment{To: "0xAb", Token: c.token, Amount: decimal.RequireFromString(c.amount)})
		if got != c.want || !is {
			t.Errorf("%s: %q %v, want %q", name, got, is, c.want)
		}
	}
}

func TestExplorerLinks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ explorer, txid, want string }{
		{"https://scan.example/tx/{txid}", "0xab", "https://scan.example/tx/0xab"},
		{"https://scan.example/tx/{txid}", "a/b?c", "https://scan.example/tx/a%2Fb%3Fc"},
		{"", "0xab", ""},
	} {
		if got := (&Connector{cfg: Config{Explorer: c.explorer}}).explain(c.txid); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
