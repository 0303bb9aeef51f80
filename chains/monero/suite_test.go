package monero_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/monero"
	"causeway/chains/nodes"
	"causeway/internal/dev/monerod"
)

// foreign is an address of another network.
const foreign = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

// seed is of no wallet but of these tests.
var seed = []byte("causeway tests: never fund this!")

var whole = flag.Bool("whole", false, "TestMonero runs the whole suite of connectors, which takes some minutes")

// TestMonero runs the suite of all connectors on a real node, with a stranger's real wallet: what is read, and with -whole what is paid.
func TestMonero(t *testing.T) {
	t.Parallel()
	suite := chaintest.Reading
	if *whole {
		suite = chaintest.Run
	}
	suite(t, func(t *testing.T) chaintest.Chain { return launch(t).chain() })
	if *whole {
		t.Run("a ring of another chain", aRingOfAnotherChain)
		t.Run("the rest is split", theRestIsSplit)
	}
}

// launched is a fresh chain, a stranger's wallet with money, and a connector.
type launched struct {
	*monero.Connector
	node     *monerod.Node
	stranger *monerod.Wallet
	config   monero.Config
	sender   *monero.Sender
	view     *monerod.Server
	spender  *monerod.Server
}

// launch starts a node, and opens the connector.
func launch(t testing.TB) *launched {
	t.Helper()
	l := &launched{}
	hot, _, _ := strings.Cut(settings(t, "").View, ":")
	l.node, l.stranger = monerod.Funded(t, hot)
	l.config = settings(t, l.node.URL)
	l.view = l.node.Server(t)
	l.spender = l.node.Server(t)
	l.config.Wallet, l.config.Spender = l.view.URL, l.spender.URL
	var err error
	l.Connector, err = monero.Open(t.Context(), l.config, nil)
	check(t, err)
	t.Cleanup(l.Close)
	l.sender, err = monero.NewSender(l.Connector, seed)
	check(t, err)
	check(t, l.sender.Show(t.Context()))
	return l
}

// settings are those of the network on a node of regtest.
func settings(t testing.TB, url string) monero.Config {
	t.Helper()
	view, err := monero.Public(seed, "")
	check(t, err)
	cfg := monero.Defaults()
	cfg.RPC, cfg.Wallet, cfg.Chain, cfg.View, cfg.Start = nodes.Addresses{url}, "http://127.0.0.1:1", "regtest", view, 1
	cfg.MaxFee = decimal.NewFromInt(1) // blocks of trials pay much, and so must transactions
	cfg.Rule = monero.Rule{Credit: 2, Final: 3}
	return cfg
}

// pay sends a stranger's money, and returns the id.
func (l *launched) pay(t testing.TB, to string, amount decimal.Decimal) string {
	t.Helper()
	return l.stranger.Pay(t, monerod.Payment{Address: to, Amount: amount.Shift(12).BigInt().Uint64()}).ID
}

// payout signs a payout of one coin.
func (l *launched) payout(t testing.TB) (signed chains.Signed, of chains.Coin) {
	t.Helper()
	to, err := l.Derive(t.Context(), 11)
	check(t, err)
	d, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{{To: to, Token: "XMR", Amount: decimal.NewFromInt(2)}}})
	check(t, err)
	free, err := l.Unspent(t.Context(), l.node.Height(t))
	check(t, err)
	coins, err := d.(chains.Chooser).Choose(free)
	check(t, err)
	signed, err = d.Sign(chains.Slot{Number: 1, Coins: coins})
	check(t, err)
	return signed, coins[0]
}

func (l *launched) chain() chaintest.Chain {
	n := l.Network()
	n.Sender = l.sender
	return chaintest.Chain{
		Network:  n,
		Tokens:   []chaintest.Token{{Symbol: n.Coin, Decimals: 12}},
		Foreign:  foreign,
		Keeps:    true,
		Shuffled: true,
		Ripe:     9,
		Refuses:  true,
		Pay:      func(t testing.TB, p chaintest.Payment) string { return l.pay(t, p.To, p.Amount) },
		Mine:     l.node.Mine,
		Reorg:    l.node.Reorg,
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
