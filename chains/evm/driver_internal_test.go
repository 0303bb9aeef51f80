package evm

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"causeway/chains"
	"causeway/internal/pay"
)

// written is a network of a networks file, read as YAML.
type written string

func (w written) Decode(into any) error { return yaml.Unmarshal([]byte(w), into) }

func (w written) Has(key string) bool {
	keys := map[string]any{}
	_ = yaml.Unmarshal([]byte(w), &keys)
	_, has := keys[key]
	return has
}

// The driver opens what it has read: with the tokens of the catalogue, and with a Sender where there is the seed of the xpub.
func TestDriverOpensWhatItHasRead(t *testing.T) {
	t.Parallel()
	seed := []byte("causeway tests: never fund this!")
	xpub, err := Driver.Public(seed, pay.EVM)
	require.NoError(t, err)
	const usdt, usdc = "0xdAC17F958D2ee523a2206206994597C13D831ec7", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
	text := written("rpc: http://127.0.0.1:1\nchain_id: 42161\nxpub: " + xpub + "\ntokens: {USDT: {contract: '" + usdt + "', decimals: 6}}\n")
	c, err := Driver.Read("Ethereum", text)
	require.NoError(t, err)
	require.Equal(t, "evm 42161", c.Chain())
	require.Equal(t, map[string]chains.Token{"USDT": {Symbol: "USDT", Contract: usdt, Decimals: 6}}, c.Tokens)

	more := []chains.Token{{Symbol: "USDC", Contract: usdc, Decimals: 6}}
	n, err := c.Open(t.Context(), chains.Opening{Tokens: more})
	require.NoError(t, err, "the node does not answer")
	require.Nil(t, n.Sender)
	require.Equal(t, "evm 42161", n.Chain())
	require.EqualValues(t, -1, n.StartAt, "from the head on")
	require.Equal(t, "Arbitrum One", n.Called)
	require.NotNil(t, n.Coins, "without traces")
	watched := slices.Sorted(maps.Keys(n.Addresser.(*Connector).tokens()))
	require.Equal(t, []string{"ETH", "USDC", "USDT"}, watched)
	require.Equal(t, []string{"USDT"}, slices.Sorted(maps.Keys(c.Tokens)), "what was read stays what it was")

	n, err = c.Open(t.Context(), chains.Opening{Signs: true, Seed: seed})
	require.NoError(t, err)
	require.NotNil(t, n.Sender)
	_, err = c.Open(t.Context(), chains.Opening{Signs: true, Seed: []byte("another seed, which has other keys")})
	require.ErrorIs(t, err, ErrKey)
}

// An error names the key of the file. Who opens the network adds its name.
func TestDriverRefuses(t *testing.T) {
	t.Parallel()
	for text, says := range map[written]string{"network: Base": "network: says another name", "rpc: ftp://hunter2": "rpc: not an http or https URL"} {
		_, err := Driver.Read("Ethereum", text)
		require.EqualError(t, err, says)
	}
}
