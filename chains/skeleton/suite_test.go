package skeleton

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/chaintest"
	"causeway/internal/pay"
)

// TestConnector runs the suite's tests of reading on a network that the driver has read and opened.
func TestConnector(t *testing.T) {
	t.Parallel()
	chaintest.Reading(t, func(t *testing.T) chaintest.Chain {
		node := startNode(t)
		return chaintest.Chain{
			Network: opened(t, node.url),
			Tokens:  []chaintest.Token{{Symbol: "LTC", Decimals: decimals}},
			Foreign: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
			Pay:     node.pay, Mine: node.mine, Reorg: node.reorg,
		}
	})
}

// written is a network of a networks file.
type written string

func (w written) Decode(into any) error { return yaml.Unmarshal([]byte(w), into) }

func (w written) Has(string) bool { return false }

func network(t *testing.T, rpc string) written {
	t.Helper()
	xpub, err := Driver.Public([]byte("causeway tests: never fund this!"), pay.Litecoin)
	require.NoError(t, err)
	return written("rpc: " + rpc + "\nxpub: " + xpub + "\nhot: " + addresses.Encode("Litecoin", [32]byte{1}) + "\n")
}

func opened(t *testing.T, rpc string) *chains.Network {
	t.Helper()
	configured, err := Driver.Read("Litecoin", network(t, rpc))
	require.NoError(t, err)
	n, err := configured.Open(t.Context(), chains.Opening{})
	require.NoError(t, err)
	return n
}

// A node that is away stops no start, and what it does not answer is ErrDown. The error does not have the node's URL.
func TestANodeThatIsAway(t *testing.T) {
	t.Parallel()
	n := opened(t, "http://hunter2@127.0.0.1:1")
	_, err := n.Scanner.Head(context.WithoutCancel(t.Context()), 0)
	require.ErrorIs(t, err, chains.ErrDown)
	require.NotContains(t, err.Error(), "hunter2")
}

func TestDriverRefuses(t *testing.T) {
	t.Parallel()
	good := network(t, "http://a")
	for wrong, says := range map[written]string{"rpc: ftp://hunter2": "rpc: ", "xpub: hunter2": "xpub: ", "hot: hunter2": "hot: ",
		"final: 2": "credit, final: "} {
		var fields, change map[string]any
		require.NoError(t, good.Decode(&fields))
		require.NoError(t, wrong.Decode(&change))
		for key, value := range change {
			fields[key] = value
		}
		text, err := yaml.Marshal(fields)
		require.NoError(t, err)
		_, err = Driver.Read("Litecoin", written(text))
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "hunter2")
	}
}
