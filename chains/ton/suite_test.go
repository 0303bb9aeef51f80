package ton_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/ton"
	"causeway/internal/dev/tonnode"
	"causeway/internal/pay"
)

// TestTON runs the suite of all connectors on the real virtual machine.
func TestTON(t *testing.T) {
	t.Parallel()
	chaintest.Run(t, func(t *testing.T) chaintest.Chain { return launch(t).chain(t) })
}

// foreign is an address of another network.
const foreign = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

// seed is of no wallet but of these tests.
var seed = []byte("causeway tests: never fund this!")

// launched is a fresh chain, a connector and a sender.
type launched struct {
	*ton.Connector
	node   *tonnode.Node
	config ton.Config
	usdt   string // its master
	sender *ton.Sender

	mu    sync.Mutex
	asked []string
	all   map[string]chains.Order // what was signed, by its id
}

// launch starts a node, and fills the hot wallet with 100,000 TON and as many USDT.
func launch(t testing.TB, change ...func(*ton.Config)) *launched {
	t.Helper()
	return on(t, tonnode.Start(t, tonnode.Options{}), change...)
}

// on is launch on a node there is.
func on(t testing.TB, node *tonnode.Node, change ...func(*ton.Config)) *launched {
	t.Helper()
	l := &launched{node: node}
	var err error
	l.usdt, err = node.Jetton("USDT")
	check(t, err)
	check(t, node.Mine(1))
	l.config = settings(t, node, l.usdt)
	for _, f := range change {
		f(&l.config)
	}
	l.Connector, err = ton.Open(t.Context(), l.config, nil)
	check(t, err)
	t.Cleanup(l.Close)
	l.AskFor(l.askedFor)
	l.sender, err = ton.NewSender(l.Connector, seed)
	check(t, err)
	for _, token := range []string{"TON", "USDT"} {
		l.pay(t, chaintest.Payment{Token: token, To: l.Hot(), Amount: decimal.NewFromInt(100_000)})
	}
	check(t, node.Mine(2))
	return l
}

// askedFor are the addresses that somebody was to pay.
func (l *launched) askedFor(context.Context) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.asked...), nil
}

// settings are those of a node with a jetton.
func settings(t testing.TB, node *tonnode.Node, master string) ton.Config {
	t.Helper()
	key, err := ton.Driver.Public(seed, pay.TON)
	check(t, err)
	var info struct {
		Init struct {
			Root string `json:"root_hash"`
		}
	}
	check(t, node.Order(&info, "getMasterchainInfo", nil))
	cfg := ton.Defaults()
	cfg.RPC, cfg.PublicKey, cfg.Genesis = []string{node.URL}, key, info.Init.Root
	cfg.Tokens = map[string]ton.Token{"USDT": {Contract: master, Decimals: 6}}
	return cfg
}

// pay sends a stranger's money, and returns the id of the transaction that receives it.
func (l *launched) pay(t testing.TB, p chaintest.Payment) (txid string) {
	t.Helper()
	l.mu.Lock()
	l.asked = append(l.asked, p.To)
	l.mu.Unlock()
	var err error
	if p.Token == "TON" {
		txid, err = l.node.Send(tonnode.Message{To: p.To, Units: p.Amount.Shift(9).IntPart(), Comment: p.Memo})
	} else {
		txid, err = l.node.Pay(tonnode.JettonPayment{Master: l.usdt, Owner: p.To, Units: p.Amount.Shift(6).IntPart(), Comment: p.Memo})
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
		Tokens:  []chaintest.Token{{Symbol: "TON", Decimals: 9}, {Symbol: "USDT", Decimals: 6}},
		Foreign: foreign,
		Pay:     l.pay,
		Mine:    func(t testing.TB, blocks int) { t.Helper(); check(t, l.node.Mine(blocks)) },
		Outlast: func(t testing.TB) {
			t.Helper()
			check(t, l.node.Drop())
			check(t, l.node.Pass(130))
			check(t, l.node.Mine(2))
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
