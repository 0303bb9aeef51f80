package cardano_test

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/cardano"
	"causeway/chains/chaintest"
	"causeway/internal/dev/ogmios"
	"causeway/internal/pay"
)

// TestCardano runs the suite of all connectors on an emulator of the ledger.
func TestCardano(t *testing.T) {
	t.Parallel()
	chaintest.Run(t, func(t *testing.T) chaintest.Chain { return launch(t).chain(t) })
}

// foreign is an address of another network.
const foreign = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

// seed is of no wallet but of these tests.
var seed = []byte("causeway tests: never fund this!")

// launched is a fresh chain, a connector and a sender.
type launched struct {
	*cardano.Connector
	node   *ogmios.Node
	config cardano.Config
	sender *cardano.Sender
}

// launch starts a node, and fills the hot wallet with 1,000 ADA.
func launch(t testing.TB, change ...func(*cardano.Config)) *launched {
	t.Helper()
	return on(t, ogmios.Start(t, ogmios.Options{}), change...)
}

// on is launch on a node there is.
func on(t testing.TB, node *ogmios.Node, change ...func(*cardano.Config)) *launched {
	t.Helper()
	l := &launched{node: node, config: settings(t, node)}
	for _, f := range change {
		f(&l.config)
	}
	var err error
	l.Connector, err = cardano.Open(t.Context(), l.config, nil)
	check(t, err)
	t.Cleanup(l.Close)
	l.sender, err = cardano.NewSender(l.Connector, seed)
	check(t, err)
	l.pay(t, l.Hot(), decimal.NewFromInt(1000))
	check(t, node.Mine(1))
	return l
}

// settings are those of a node.
func settings(t testing.TB, node *ogmios.Node) cardano.Config {
	t.Helper()
	xpub, err := cardano.Driver.Public(seed, pay.Cardano)
	check(t, err)
	cfg := cardano.Defaults()
	cfg.RPC, cfg.XPub, cfg.Magic = []string{"http" + strings.TrimPrefix(node.URL, "ws")}, xpub, 42
	cfg.Rule = cardano.Rule{Credit: 2, Final: 3}
	return cfg
}

// pay sends a stranger's money, and returns the id.
func (l *launched) pay(t testing.TB, to string, amount decimal.Decimal) string {
	t.Helper()
	txid, err := l.node.Pay(ogmios.Payment{To: to, Lovelace: amount.Shift(6).IntPart()})
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
		Tokens:  []chaintest.Token{{Symbol: "ADA", Decimals: 6}},
		Foreign: foreign,
		Keeps:   true,
		Pay:     func(t testing.TB, p chaintest.Payment) string { return l.pay(t, p.To, p.Amount) },
		Mine:    func(t testing.TB, blocks int) { t.Helper(); check(t, l.node.Mine(blocks)) },
		Reorg:   func(t testing.TB, depth int, drop ...string) { t.Helper(); check(t, l.node.Reorg(depth, drop...)) },
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
