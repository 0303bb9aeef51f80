package solana_test

import (
	"context"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/nodes"
	"causeway/chains/solana"
	"causeway/internal/dev/solananode"
	"causeway/internal/pay"
)

// TestSolana runs the suite of all connectors on Solana's real runtime, behind a shim.
func TestSolana(t *testing.T) {
	t.Parallel()
	chaintest.Run(t, func(t *testing.T) chaintest.Chain { return launch(t).chain(t) })
}

// foreign is an address of another network.
const foreign = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

// seed is of no wallet but of these tests.
var seed = []byte("causeway tests: never fund this!")

// slots of a block of ours.
const slots = 16

// launched is a fresh chain, a connector and a sender. Between two acts the newest slot but one is the last of a block of ours, and final.
type launched struct {
	*solana.Connector
	node   *solananode.Node
	config solana.Config
	sender *solana.Sender
}

// launch starts a node, and fills the hot wallet with 100,000 SOL and as many of each token.
func launch(t testing.TB, change ...func(*solana.Config)) *launched {
	t.Helper()
	return on(t, solananode.Start(t, solananode.Options{Lag: 1}), change...)
}

// on is launch on a node there is.
func on(t testing.TB, node *solananode.Node, change ...func(*solana.Config)) *launched {
	t.Helper()
	var genesis string
	check(t, node.Order(&genesis, "getGenesisHash"))
	l := &launched{node: node, config: settings(t, node.URL, genesis)}
	for _, f := range change {
		f(&l.config)
	}
	var slot int
	check(t, node.Order(&slot, "getSlot", map[string]string{"commitment": "confirmed"}))
	check(t, node.Mine(slots-slot%slots))
	l.open(t)
	for _, token := range []string{"SOL", "USDT", "USDC"} {
		l.pay(t, token, l.Hot(), decimal.NewFromInt(100_000))
	}
	l.mine(t, 1)
	return l
}

// open opens the connector, as a process that starts does.
func (l *launched) open(t testing.TB) {
	t.Helper()
	var err error
	l.Connector, err = solana.Open(t.Context(), l.config, nil)
	check(t, err)
	t.Cleanup(l.Close)
	l.AskFor(l.deposits)
	l.sender, err = solana.NewSender(l.Connector, seed)
	check(t, err)
}

// deposits are the addresses that the suite uses.
func (l *launched) deposits(ctx context.Context) ([]string, error) {
	out := make([]string, 120)
	for i := range out {
		var err error
		if out[i], err = l.Derive(ctx, uint32(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// settings are those of a node with two tokens.
func settings(t testing.TB, url, genesis string) solana.Config {
	t.Helper()
	xpub, err := solana.Driver.Public(seed, pay.Solana)
	check(t, err)
	cfg := solana.Defaults()
	cfg.RPC, cfg.XPub, cfg.Genesis = nodes.Addresses{url}, xpub, genesis
	cfg.Tokens = map[string]solana.Token{"USDT": {Contract: solananode.USDT, Decimals: 6}, "USDC": {Contract: solananode.USDC, Decimals: 6}}
	return cfg
}

// mine makes whole blocks of ours; the first has what waits.
func (l *launched) mine(t testing.TB, blocks int) {
	t.Helper()
	check(t, l.node.Mine(slots*blocks))
}

// pay sends a stranger's money, and returns the id.
func (l *launched) pay(t testing.TB, token, to string, amount decimal.Decimal) (txid string) {
	t.Helper()
	var err error
	switch token {
	case "SOL":
		txid, err = l.node.Fund(to, amount.Shift(9).IntPart())
	case "USDT":
		txid, err = l.node.Pay(solananode.USDT, to, amount.Shift(6).IntPart())
	default:
		txid, err = l.node.Pay(solananode.USDC, to, amount.Shift(6).IntPart())
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
		Tokens:  []chaintest.Token{{Symbol: "SOL", Decimals: 9}, {Symbol: "USDT", Decimals: 6}, {Symbol: "USDC", Decimals: 6}},
		Foreign: foreign,
		Unseen:  true,
		Pay:     func(t testing.TB, p chaintest.Payment) string { return l.pay(t, p.Token, p.To, p.Amount) },
		Mine:    func(t testing.TB, blocks int) { l.mine(t, blocks) },
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
