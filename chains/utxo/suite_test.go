package utxo_test

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/chaintest"
	"causeway/chains/nodes"
	"causeway/chains/utxo"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/pay"
)

// TestBitcoin runs the suite of all connectors on a real node.
func TestBitcoin(t *testing.T) {
	t.Parallel()
	suite(t, "Bitcoin")
}

// foreign are addresses of another network than the key.
const foreign = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

func suite(t *testing.T, network string) {
	t.Helper()
	suiteOn(t, func(t *testing.T) *launched { return launch(t, network) })
}

func suiteOn(t *testing.T, open func(*testing.T) *launched) {
	t.Helper()
	chaintest.Run(t, func(t *testing.T) chaintest.Chain { return open(t).chain(t) })
}

// seed is of no wallet but of these tests.
var seed = []byte("causeway tests: never fund this!")

// launched is a fresh chain, a connector and a sender.
type launched struct {
	*utxo.Connector
	node   *bitcoind.Node
	config utxo.Config
	sender *utxo.Sender
}

// launch starts a node of a network, and fills the hot wallet with 1,000 coins.
func launch(t *testing.T, network string, change ...func(*utxo.Config)) *launched {
	t.Helper()
	return on(t, bitcoind.Start(t, network), change...)
}

// on is launch on a node there is.
func on(t *testing.T, node *bitcoind.Node, change ...func(*utxo.Config)) *launched {
	t.Helper()
	l := &launched{node: node, config: settings(t, node.Network, node.URL)}
	for _, f := range change {
		f(&l.config)
	}
	var err error
	l.Connector, err = utxo.Open(t.Context(), l.config, nil)
	check(t, err)
	t.Cleanup(l.Close)
	l.sender, err = utxo.NewSender(l.Connector, seed)
	check(t, err)
	l.pay(t, l.Hot(), decimal.NewFromInt(1000))
	node.Mine(t, 1)
	return l
}

// settings are those of a network on a node of regtest.
func settings(t testing.TB, network, url string) utxo.Config {
	t.Helper()
	n, _ := pay.NetworkNamed(network)
	xpub, err := utxo.Driver.Public(seed, n.Family)
	check(t, err)
	cfg := utxo.Defaults(network)
	cfg.RPC, cfg.Chain, cfg.XPub, cfg.AcceptRisk = nodes.Addresses{url}, "regtest", xpub, true
	cfg.Start = 1
	cfg.Rule = utxo.Rule{Credit: 2, Final: 3}
	return cfg
}

// pay sends a stranger's money, and returns the id.
func (l *launched) pay(t testing.TB, to string, amount decimal.Decimal) string {
	t.Helper()
	script, err := addresses.Script(l.config.Network, to)
	check(t, err)
	return l.node.Send(t, bitcoind.Output{Script: script, Value: amount.Shift(8).IntPart()})
}

// network is the connector with its sender.
func (l *launched) network() *chains.Network {
	n := l.Network()
	n.Sender = l.sender
	return n
}

func (l *launched) chain(t testing.TB) chaintest.Chain {
	t.Helper()
	n := l.network()
	return chaintest.Chain{
		Network: n,
		Tokens:  []chaintest.Token{{Symbol: n.Coin, Decimals: 8}},
		Foreign: foreign,
		Keeps:   !l.node.Replaces,
		Change:  addresses.OfScript(l.config.Network, bitcoind.PayTo(t, bitcoind.Address(t, "strangers"))),
		Pay:     func(t testing.TB, p chaintest.Payment) string { return l.pay(t, p.To, p.Amount) },
		Mine:    l.node.Mine,
		Reorg:   l.node.Reorg,
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func says(err error, words string) bool { return err != nil && strings.Contains(err.Error(), words) }
