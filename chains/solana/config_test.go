package solana_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"gopkg.in/yaml.v3"

	"causeway/chains"
	"causeway/chains/solana"
	"causeway/internal/dev/solananode"
	"causeway/internal/pay"
)

// part is the part of the network in a file.
type part string

func (p part) Decode(into any) error {
	d := yaml.NewDecoder(strings.NewReader(string(p)))
	d.KnownFields(true)
	return d.Decode(into)
}

func (p part) Has(key string) bool { return strings.Contains(string(p), "\n"+key+":") }

// written is the smallest part of the network.
func written(t testing.TB) string {
	t.Helper()
	xpub, err := solana.Driver.Public(seed, pay.Solana)
	check(t, err)
	return "rpc: http://localhost:8899/key?and=query\nxpub: " + xpub + "\n"
}

// TestANodeAndAnXPubAreEnough: the rest has defaults. Solana and its devnet are two chains.
//
// Covers operator §Settings: Solana needs an rpc and an xpub
func TestANodeAndAnXPubAreEnough(t *testing.T) {
	t.Parallel()
	c, err := solana.Driver.Read("Solana", part(written(t)))
	if err != nil || c.Name != "Solana" || c.Kind != "solana" || c.ChainID == 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	devnet, err := solana.Driver.Read("Solana", part(written(t)+"genesis: EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG\n"))
	if err != nil || devnet.Chain() == c.Chain() {
		t.Fatalf("%+v, %v", devnet, err)
	}
	contract := chains.Token{Symbol: "USDC", Contract: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", Decimals: 6}
	n, err := c.Open(t.Context(), chains.Opening{Signs: true, Seed: seed, Tokens: []chains.Token{contract}})
	if err != nil {
		t.Fatalf("the node is silent, and the network does not open: %v", err)
	}
	if n.Sender == nil || n.Exclusion != chains.ByExpiry || n.Batch != 1 || n.Expiry != 160 || n.StartAt != -1 || n.BumpAfter != 0 || n.AskFor == nil ||
		n.Addresser.Match(n.Hot) != n.Hot || n.Nodes()[0].Requests == 0 || n.Tokens.Watched() != 1 || n.Explain("ab") != "https://solscan.io/tx/ab" {
		t.Errorf("%+v", n)
	}
	if n.Rule.Credit != 1 || n.Rule.Final != 1 || n.Rule.Early() {
		t.Errorf("%+v", n.Rule)
	}
	for payment, want := range map[*chains.Payment]string{
		{To: stranger, Token: chains.Token{Symbol: "SOL", Decimals: 9}, Amount: decimal.New(15, -1)}: "solana:" + stranger + "?amount=1.5",
		{To: stranger, Token: contract, Amount: decimal.New(25, 0)}:                                  "solana:" + stranger + "?amount=25&spl-token=" + contract.Contract,
		{To: stranger, Token: contract}:                                                              "solana:" + stranger + "?spl-token=" + contract.Contract,
	} {
		if text, ok := n.URI(*payment); !ok || text != want {
			t.Errorf("%s, want %s", text, want)
		}
	}
	if _, err := c.Open(t.Context(), chains.Opening{Signs: true, Seed: []byte("another seed of thirty-two bytes")}); err == nil {
		t.Error("another seed opens the network")
	}
}

// TestEverySetting is read as it is written.
//
// Covers operator §Settings: Solana knows no `signer`
func TestEverySetting(t *testing.T) {
	t.Parallel()
	c, err := solana.Driver.Read("Solana", part(written(t)+`network: Solana
max_priority_fee: 0.0025
timeout: 20s
stale_after: 5m
start: 21000000
cold: `+stranger+`
explorer: https://explorer.example/{txid}?cluster=devnet
tokens: {MINE: {contract: `+solananode.USDT+`, decimals: 6}}
caps: {SOL: {payout: 10, day: 100}, MINE: {hour: 5}}
`))
	check(t, err)
	want := chains.Token{Symbol: "MINE", Contract: solananode.USDT, Decimals: 6}
	if c.Cold != stranger || c.Elsewhere || len(c.Nodes) != 1 || len(c.Tokens) != 1 || c.Tokens["MINE"] != want {
		t.Errorf("%+v", c)
	}
	settings := c.Settings.(solana.Config)
	if !settings.MaxPriorityFee.Equal(decimal.New(25, -4)) || settings.Timeout != 20*time.Second || settings.RPC != nil {
		t.Errorf("%+v", settings)
	}
	n, err := c.Open(t.Context(), chains.Opening{})
	check(t, err)
	if n.Sender != nil || n.StartAt != 21_000_000 || n.StaleAfter != 5*time.Minute || n.Cold != stranger || !n.Collects || !n.HotPays || n.Tokens.Watched() != 1 ||
		n.Explain("ab") != "https://explorer.example/ab?cluster=devnet" || len(n.Caps) != 2 || !n.Caps["SOL"].Positive() {
		t.Errorf("%+v", n)
	}
	silent, err := solana.Driver.Read("Solana", part(written(t)+"explorer: ''\nstale_after: 0s\n"))
	check(t, err)
	if n, err = silent.Open(t.Context(), chains.Opening{}); err != nil || n.Explain("ab") != "" || n.StaleAfter != 0 {
		t.Errorf("%+v, %v", n, err)
	}
	for _, key := range []string{"signer: {url: https://signer.example}", "api_key: secret"} { // of other networks
		if _, err := solana.Driver.Read("Solana", part(written(t)+key+"\n")); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestSettingsThatAreRefused: each error names the setting and not its value.
func TestSettingsThatAreRefused(t *testing.T) {
	t.Parallel()
	xpub := strings.TrimSpace(written(t)[strings.Index(written(t), "xpub: ")+6:])
	hot, deposit := ours(t)
	for line, name := range map[string]string{
		"rpc: ftp://node":                   "rpc",
		"rpc: http://node/#secret":          "rpc",
		"genesis: 0000":                     "genesis",
		"max_priority_fee: 2":               "max_priority_fee",
		"max_priority_fee: -1":              "max_priority_fee",
		"timeout: 1s":                       "timeout",
		"stale_after: 1s":                   "stale_after",
		"start: -1":                         "start",
		"explorer: http://x/{txid}":         "explorer",
		"xpub: " + xpub[:126]:               "xpub",
		"xpub: xpub661My":                   "xpub",
		"cold: " + hot:                      "cold",
		"cold: " + deposit:                  "cold",
		"cold: 0x00":                        "cold",
		"caps: {USDC: {payout: 0}}":         "caps",
		"tokens: {SOL: {contract: secret}}": "tokens",
		"tokens: {USDC: {contract: secret, decimals: 6}}":                            "tokens",
		"tokens: {USDC: {contract: " + stranger + ", decimals: 60}}":                 "tokens",
		"tokens: {A: {contract: " + stranger + "}, B: {contract: " + stranger + "}}": "tokens",
		"network: Tron":   "network",
		"no_such: secret": "no_such",
	} {
		key, _, _ := strings.Cut(line, ":")
		text := line + "\n"
		for _, other := range strings.SplitAfter(written(t), "\n") {
			if !strings.HasPrefix(other, key+":") {
				text += other
			}
		}
		if _, err := solana.Driver.Read("Solana", part(text)); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// ours are addresses of the seed.
func ours(t *testing.T) (hot, deposit string) {
	t.Helper()
	c, err := solana.Driver.Read("Solana", part(written(t)))
	check(t, err)
	n, err := c.Open(t.Context(), chains.Opening{})
	check(t, err)
	deposit, err = n.Addresser.Derive(t.Context(), 99)
	check(t, err)
	return n.Hot, deposit
}
