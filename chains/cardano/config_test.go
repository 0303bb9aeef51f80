package cardano_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/address/v2/bech32"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/cardano"
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
	xpub, err := cardano.Driver.Public(seed, pay.Cardano)
	check(t, err)
	return "rpc: http://127.0.0.1:1\nxpub: " + xpub + "\n"
}

// TestANodeAndAnXPubAreEnough: the rest has defaults. A silent node lets the network open.
//
// Covers operator §Settings: Cardano needs an rpc and an xpub
func TestANodeAndAnXPubAreEnough(t *testing.T) {
	t.Parallel()
	c, err := cardano.Driver.Read("Cardano", part(written(t)))
	require.NoError(t, err)
	require.Equal(t, "cardano 764824073", c.Chain())
	require.Len(t, c.Nodes, 1)
	n, err := c.Open(t.Context(), chains.Opening{Signs: true, Seed: seed})
	require.NoError(t, err)
	require.NotNil(t, n.Sender)
	require.NotNil(t, n.Recall)
	require.Equal(t, chains.ByCoins, n.Exclusion)
	require.Equal(t, 40, n.Batch)
	require.Zero(t, n.BumpAfter, "nothing is replaced in the mempool")
	require.Equal(t, n.Hot, n.Addresser.Match(strings.ToUpper(n.Hot)))
	require.Positive(t, n.Nodes()[0].Failures)
	uri, ok := n.URI(chains.Payment{To: n.Hot, Amount: decimal.RequireFromString("5.5")})
	require.True(t, ok)
	require.Equal(t, "web+cardano:"+n.Hot+"?amount=5.5", uri)
	require.Equal(t, "https://cardanoscan.io/transaction/ab", n.Explain("ab"))
	_, err = n.Scanner.Head(t.Context(), -1)
	require.ErrorIs(t, err, chains.ErrDown)
}

// TestSettingsAreRead: what the file says takes the place of the defaults.
func TestSettingsAreRead(t *testing.T) {
	t.Parallel()
	const cold = "addr1vx9jrppy446d7fwntsh23cy55nzutt4jew6yysvnx9tfxychfqm3y"
	c, err := cardano.Driver.Read("Cardano", part(written(t)+`network_magic: 42
rule: {credit: 3, final: 9}
batch: 7
batch_every: 10s
max_fee: 1.5
cold: `+cold+`
explorer: ""
stale_after: 0s
caps: {ADA: {day: 20000}}
`))
	require.NoError(t, err)
	require.Equal(t, "cardano 42", c.Chain())
	got, ok := c.Settings.(cardano.Config)
	require.True(t, ok)
	require.Nil(t, got.RPC, "it is no setting to be compared")
	n, err := c.Open(t.Context(), chains.Opening{})
	require.NoError(t, err)
	require.Nil(t, n.Sender)
	require.Equal(t, cold, n.Cold)
	require.Equal(t, 7, n.Batch)
	require.Equal(t, 9, n.Rule.Final)
	require.Empty(t, n.Explain("ab"))
	require.NotNil(t, n.Caps["ADA"].Day)
}

// withStake puts a part for stake beside the key of an address.
func withStake(t testing.TB, address string) string {
	t.Helper()
	raw, err := addresses.CardanoBytes(address)
	check(t, err)
	data, err := bech32.ConvertBits(slices.Concat([]byte{0x01}, raw[1:], make([]byte, 28)), 8, 5, true)
	check(t, err)
	text, err := bech32.Encode("addr", data)
	check(t, err)
	return text
}

// TestMistakesAreNamed: the setting and what is allowed, and never the value.
func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	c, err := cardano.Driver.Read("Cardano", part(written(t)))
	require.NoError(t, err)
	n, err := c.Open(t.Context(), chains.Opening{})
	require.NoError(t, err)
	own, err := n.Addresser.Derive(t.Context(), 7)
	require.NoError(t, err)
	for text, want := range map[string]string{
		"network: Ethereum\n":                    "network: says another name",
		"rpc: very-secret\n":                     "rpc: not an http",
		"rpc: [http://a, http://b, http://a]\n":  "rpc: node 3: listed before",
		"network_magic: 0\n":                     "network_magic:",
		"xpub: very-secret\n":                    "xpub:",
		"rule: {credit: 5, final: 4}\n":          "rule: credit from 1, final from credit to 2160",
		"batch: 61\n":                            "batch: from 1 to 60",
		"batch_every: 2m\n":                      "batch_every: up to 60s",
		"max_fee: 0\n":                           "max_fee: above 0 and up to 10 ADA",
		"max_fee: 0.0000001\n":                   "at most 6 decimals",
		"timeout: 1s\n":                          "timeout: from 2s to 5m",
		"stale_after: 10s\n":                     "stale_after: from 1m to 24h",
		"explorer: http://x/{txid}\n":            "explorer: an https URL",
		"cold: " + own + "\n":                    "cold: deposit address 7",
		"cold: " + strings.ToUpper(n.Hot) + "\n": "cold: the hot wallet",
		"cold: " + withStake(t, own) + "\n":      "cold: deposit address 7",
		"cold: very-secret\n":                    "cold: not an address",
		"caps: {ADA: {}}\n":                      "caps: ADA",
		"tokens: {USD: {contract: a}}\n":         "tokens: ADA alone",
	} {
		whole := text
		for line := range strings.Lines(written(t)) { // a key is there once
			if key, _, _ := strings.Cut(line, ":"); !strings.HasPrefix(text, key+":") {
				whole += line
			}
		}
		_, err := cardano.Driver.Read("Cardano", part(whole))
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "very-secret")
	}
}
