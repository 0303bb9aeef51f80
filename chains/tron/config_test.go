package tron_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"gopkg.in/yaml.v3"

	"causeway/chains"
	"causeway/chains/tron"
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
	xpub, err := tron.Driver.Public(seed, pay.Tron)
	check(t, err)
	return "rpc: http://localhost:8090\nxpub: " + xpub + "\n"
}

// TestANodeAndAnXPubAreEnough: the rest has defaults. Tron and Nile are two chains.
//
// Covers operator §Settings: Tron needs an rpc and an xpub
// Covers operator §Settings: genesis · the id of the chain
func TestANodeAndAnXPubAreEnough(t *testing.T) {
	t.Parallel()
	c, err := tron.Driver.Read("Tron", part(written(t)))
	if err != nil || c.Name != "Tron" || c.Kind != "tron" || c.ChainID != 728126428 || c.Chain() != "tron 728126428" {
		t.Fatalf("%+v, %v", c, err)
	}
	nile, err := tron.Driver.Read("Tron", part(written(t)+"genesis: 0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc\n"))
	if err != nil || nile.ChainID != 3448148188 {
		t.Fatalf("%+v, %v", nile, err)
	}
	contract := chains.Token{Symbol: "USDT", Contract: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", Decimals: 6}
	n, err := c.Open(t.Context(), chains.Opening{Signs: true, Seed: seed, Tokens: []chains.Token{contract}})
	if err != nil {
		t.Fatalf("the node is silent, and the network does not open: %v", err)
	}
	if n.Sender == nil || n.Exclusion != chains.ByExpiry || n.Batch != 1 || n.Expiry != 180_000 || n.StartAt != -1 || n.BumpAfter != 0 ||
		n.Addresser.Match(n.Hot) != n.Hot || n.Nodes()[0].Requests == 0 || n.Tokens.Watched() != 1 || n.Explain("ab") != "https://tronscan.org/#/transaction/ab" {
		t.Errorf("%+v", n)
	}
	if n.Rule.Credit != 19 || n.Rule.Final != 19 || len(n.Rule.ByAmount) != 1 || n.Rule.ByAmount[0].Depth != 3 {
		t.Errorf("%+v", n.Rule)
	}
}

// TestSettingsAreRead: what the file says takes the place of the defaults.
func TestSettingsAreRead(t *testing.T) {
	t.Parallel()
	merchant := uuid.MustParse("018f4b5a-0000-7000-8000-000000000001")
	text := written(t) + `rule: {credit: 5, final: solid}
tokens: {USDC: {contract: TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8, decimals: 6}}
max_fee: 40.5
max_stake: 7000
cold: TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9
start: 70000000
explorer: ""
caps: {USDT: {day: 20000}}
`
	c, err := tron.Driver.Read("Tron", part(text))
	if err != nil {
		t.Fatal(err)
	}
	got, ok := c.Settings.(tron.Config)
	if !ok || got.MaxFee.String() != "40.5" || got.MaxStake.String() != "7000" || got.Rule.Credit != 5 || got.Rule.Final != tron.Solid || len(got.CreditByAmount) != 0 ||
		c.Cold != "TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9" || c.Tokens["USDC"].Decimals != 6 {
		t.Errorf("%+v", c)
	}
	own, err := tron.Driver.Read("Tron", part(written(t)+"credit_by_amount: [{up_to: 50, credit: 2}, {up_to: 500, credit: 10}]\ncredit_by_amount_of: {"+merchant.String()+": []}\n"))
	check(t, err)
	n, err := own.Open(t.Context(), chains.Opening{})
	check(t, err)
	if n.Sender != nil || n.Rule.For(uuid.New(), decimal.NewFromInt(400)) != 10 || n.Rule.For(merchant, decimal.NewFromInt(40)) != pay.CreditByRule {
		t.Errorf("%+v", n.Rule)
	}
}

// TestMistakesAreNamed: the setting and what is allowed, and never the value.
func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	c, err := tron.Open(t.Context(), settings(t, "http://127.0.0.1:1", tron.Mainnet), nil)
	check(t, err)
	own, err := c.Derive(t.Context(), 7)
	check(t, err)
	for text, want := range map[string]string{
		"network: Ethereum\n":                                       "network: says another name",
		"rpc: very-secret\n":                                        "rpc: not an http",
		"rpc: http://host/?very-secret\n":                           "rpc: not an http",
		"api_key: \"very\\nsecret\"\n":                              "api_key: not the value of a header",
		"genesis: very-secret\n":                                    "genesis: the id of a block 0",
		"genesis: \"" + strings.Repeat("ab", 32) + "\"\n":           "genesis: the id of a block 0",
		"xpub: very-secret\n":                                       "xpub:",
		"rule: {credit: 20, final: solid}\n":                        "rule: credit: not after final",
		"rule: {credit: 1, final: 5}\n":                             "final: solid, or from 19",
		"rule: {credit: safe}\n":                                    "a depth is a number of confirmations, or solid",
		"rule: {credit: -1}\n":                                      "a depth is a number of confirmations, or solid",
		"credit_by_amount: [{up_to: 0, credit: 2}]\n":               "credit_by_amount: up_to: an amount of USD above zero",
		"credit_by_amount: [{up_to: 5, credit: solid}]\n":           "credit_by_amount: credit: confirmations from 1",
		"credit_by_amount_of: {somebody: []}\n":                     "the id of a merchant is a UUID",
		"max_fee: 0\n":                                              "max_fee: above 0",
		"max_fee: 15001\n":                                          "max_fee: above 0, up to 15000 TRX",
		"max_stake: -1\n":                                           "max_stake: from 0",
		"max_stake: 1000000001\n":                                   "max_stake: from 0 to 1000000000 TRX",
		"max_fee: 1.0000001\n":                                      "at most 6 decimals",
		"timeout: 1s\n":                                             "timeout: from 2s to 1m",
		"stale_after: 10s\n":                                        "stale_after: from 1m to 24h",
		"start: -1\n":                                               "start: not negative",
		"accept_blocks: [very-secret]\n":                            "accept_blocks: ids of blocks",
		"explorer: http://x/{txid}\n":                               "explorer: an https URL",
		"cold: " + own + "\n":                                       "cold: deposit address 7",
		"cold: " + c.Hot() + "\n":                                   "cold: the hot wallet",
		"cold: very-secret\n":                                       "cold: not an address",
		"tokens: {TRX: {contract: " + own + "}}\n":                  "TRX is the native coin",
		"tokens: {A: {contract: very-secret}}\n":                    "A needs a contract",
		"tokens: {A: {contract: " + own + ", decimals: 40}}\n":      "A needs a contract and 0 to 36 decimals",
		"tokens: {A: {contract: " + own + "}, B: {contract: " + own: "have the same contract",
		"caps: {USDT: {}}\n":                                        "caps: USDT",
		"seed: very-secret\n":                                       "seed",
	} {
		if strings.HasSuffix(text, own) {
			text += "}}\n"
		}
		whole := text
		for line := range strings.Lines(written(t)) { // a key is there once
			if key, _, _ := strings.Cut(line, ":"); !strings.HasPrefix(text, key+":") {
				whole += line
			}
		}
		_, err := tron.Driver.Read("Tron", part(whole))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "very-secret") && want != "seed" {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
