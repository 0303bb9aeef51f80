package tron_test

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/tron"
	"causeway/internal/dev/tronnode"
	"causeway/internal/pay"
)

// TestTron runs the suite of all connectors on a fake node, which checks what a real one would.
//
// Covers operator §Settings: A payout's transaction is valid until two
func TestTron(t *testing.T) {
	t.Parallel()
	chaintest.Run(t, func(t *testing.T) chaintest.Chain { return launch(t).chain(t) })
}

// foreign is an address of another network.
const foreign = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

// seed is of no wallet but of these tests.
var seed = []byte("causeway tests: never fund this!")

// launched is a fresh chain, a connector and a sender.
type launched struct {
	*tron.Connector
	node   *tronnode.Node
	config tron.Config
	sender *tron.Sender
}

// launch starts a node, and fills the hot wallet with 100,000 TRX and as many of each token.
func launch(t testing.TB, change ...func(*tron.Config)) *launched {
	t.Helper()
	return on(t, tronnode.Start(t, tronnode.Options{}), change...)
}

// on is launch on a node there is.
func on(t testing.TB, node *tronnode.Node, change ...func(*tron.Config)) *launched {
	t.Helper()
	l := &launched{node: node, config: settings(t, node.URL, node.GenesisID())}
	for _, f := range change {
		f(&l.config)
	}
	var err error
	l.Connector, err = tron.Open(t.Context(), l.config, nil)
	check(t, err)
	t.Cleanup(l.Close)
	l.sender, err = tron.NewSender(l.Connector, seed)
	check(t, err)
	for _, token := range []string{"TRX", "USDT", "SILENT"} {
		l.pay(t, token, l.Hot(), decimal.NewFromInt(100_000))
	}
	node.Solidify()
	node.Mine(1)
	return l
}

// settings are those of a fake node with two tokens.
func settings(t testing.TB, url, genesis string) tron.Config {
	t.Helper()
	xpub, err := tron.Driver.Public(seed, pay.Tron)
	check(t, err)
	cfg := tron.Defaults()
	cfg.RPC, cfg.XPub, cfg.Genesis = tron.At(url), xpub, genesis
	cfg.Tokens = map[string]tron.Token{"USDT": {Contract: tronnode.USDT, Decimals: 6}, "SILENT": {Contract: tronnode.Silent, Decimals: 6}}
	return cfg
}

// pay sends a stranger's money, and returns the id.
func (l *launched) pay(t testing.TB, token, to string, amount decimal.Decimal) (txid string) {
	t.Helper()
	units, err := amount.Shift(6).IntPart(), error(nil)
	switch token {
	case "TRX":
		txid, err = l.node.Fund(to, units)
	case "USDT":
		txid, err = l.node.Pay(tronnode.USDT, to, units)
	default:
		txid, err = l.node.Pay(tronnode.Silent, to, units)
	}
	check(t, err)
	return txid
}

// network is the connector with its sender.
func (l *launched) network() *chains.Network {
	n := l.Network()
	n.Sender = l.sender
	return n
}

func (l *launched) chain(t testing.TB) chaintest.Chain {
	t.Helper()
	return chaintest.Chain{
		Network: l.network(),
		Tokens:  []chaintest.Token{{Symbol: "TRX", Decimals: 6}, {Symbol: "USDT", Decimals: 6}, {Symbol: "SILENT", Decimals: 6}},
		Foreign: foreign,
		Gas:     decimal.NewFromInt(60),
		Pay:     func(t testing.TB, p chaintest.Payment) string { return l.pay(t, p.Token, p.To, p.Amount) },
		Mine:    func(_ testing.TB, blocks int) { l.node.Mine(blocks) },
		Reorg: func(t testing.TB, depth int, drop ...string) {
			t.Helper()
			check(t, l.node.ReorganiseWithout(depth, drop...))
		},
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func says(err error, words string) bool { return err != nil && strings.Contains(err.Error(), words) }
