package ripple_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/ripple"
	"causeway/internal/dev/rippled"
	"causeway/internal/pay"
)

// TestRipple runs the suite of all connectors on a fake node, which checks what a real one would.
//
// Covers operator §Settings: A payout's transaction may be
func TestRipple(t *testing.T) {
	t.Parallel()
	chaintest.Run(t, func(t *testing.T) chaintest.Chain { return launch(t).chain() })
}

// foreign is an address of another network.
const foreign = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

// seed is of no wallet but of these tests.
var seed = []byte("causeway tests: never fund this!")

// xrp are the drops of one XRP.
const xrp = 1_000_000

// launched is a fresh chain, a connector and a sender.
type launched struct {
	*ripple.Connector
	node   *rippled.Node
	config ripple.Config
	sender *ripple.Sender
}

// launch starts a node, and fills the hot wallet with 100,000 XRP.
func launch(t testing.TB, change ...func(*ripple.Config)) *launched {
	t.Helper()
	return on(t, rippled.Start(t, rippled.Options{}), change...)
}

// on is launch on a node there is.
func on(t testing.TB, node *rippled.Node, change ...func(*ripple.Config)) *launched {
	t.Helper()
	l := &launched{node: node, config: settings(t, node.URL)}
	for _, f := range change {
		f(&l.config)
	}
	var err error
	l.Connector, err = ripple.Open(t.Context(), l.config, nil)
	check(t, err)
	t.Cleanup(l.Close)
	l.sender, err = ripple.NewSender(l.Connector, seed)
	check(t, err)
	l.pay(t, l.Hot(), "", decimal.NewFromInt(100_000))
	node.Close(1)
	return l
}

// settings are those of a fake node.
func settings(t testing.TB, urls ...string) ripple.Config {
	t.Helper()
	cfg := ripple.Defaults()
	cfg.RPC, cfg.XPub, cfg.NetworkID = urls, xpubOf(t, seed), rippled.Network
	return cfg
}

func xpubOf(t testing.TB, seed []byte) string {
	t.Helper()
	xpub, err := ripple.Driver.Public(seed, pay.Ripple)
	check(t, err)
	return xpub
}

// pay sends a stranger's money, and returns the id.
func (l *launched) pay(t testing.TB, to, memo string, amount decimal.Decimal) (txid string) {
	t.Helper()
	txid, err := l.node.Fund(to, tagOf(t, memo), amount.Shift(6).IntPart())
	check(t, err)
	return txid
}

// tagOf is a destination tag; none of "".
func tagOf(t testing.TB, memo string) *uint32 {
	t.Helper()
	if memo == "" {
		return nil
	}
	n, err := strconv.ParseUint(memo, 10, 32)
	check(t, err)
	tag := uint32(n)
	return &tag
}

// network is the connector with its sender.
func (l *launched) network() *chains.Network {
	n := l.Network()
	n.Sender = l.sender
	return n
}

func (l *launched) chain() chaintest.Chain {
	return chaintest.Chain{
		Network: l.network(),
		Tokens:  []chaintest.Token{{Symbol: "XRP", Decimals: 6}},
		Foreign: foreign,
		Pay:     func(t testing.TB, p chaintest.Payment) string { return l.pay(t, p.To, p.Memo, p.Amount) },
		Mine:    func(_ testing.TB, blocks int) { l.node.Close(blocks) },
		Outlast: func(testing.TB) { l.node.Drop(); l.node.Close(ripple.Life + 1) },
	}
}

// deposit is the address shared by payins.
func (l *launched) deposit(t testing.TB) string {
	t.Helper()
	address, err := l.Derive(t.Context(), 0)
	check(t, err)
	return address
}

// newest reads the newest ledger.
func (l *launched) newest(t testing.TB) chains.Block {
	t.Helper()
	blocks, err := l.Blocks(t.Context(), l.node.Height(), 1)
	check(t, err)
	if len(blocks) != 1 {
		t.Fatalf("%d ledgers, want one", len(blocks))
	}
	return blocks[0]
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func says(err error, words string) bool { return err != nil && strings.Contains(err.Error(), words) }
