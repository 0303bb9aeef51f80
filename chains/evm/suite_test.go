package evm_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/chaintest"
	"causeway/chains/evm"
	"causeway/chains/nodes"
	"causeway/internal/dev/anvil"
)

// TestConnector runs the suite of all connectors on a real node.
func TestConnector(t *testing.T) {
	t.Parallel()
	chaintest.Run(t, func(t *testing.T) chaintest.Chain { return launch(t, launchOptions{}).chain() })
}

// chain is the network as the suite has it.
func (l *launched) chain() chaintest.Chain {
	return chaintest.Chain{
		Network: l.network(),
		Tokens:  []chaintest.Token{{Symbol: "ETH", Decimals: 18}, {Symbol: "USDT", Decimals: 6}},
		Foreign: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		Pay: func(t testing.TB, p chaintest.Payment) string {
			t.Helper()
			from := l.stranger()
			if p.Token == "ETH" {
				return l.node.Send(t, from, common.HexToAddress(p.To), p.Amount.Shift(18).BigInt(), nil)
			}
			return l.tokens[p.Token].Transfer(t, from, common.HexToAddress(p.To), p.Amount.Shift(6).BigInt())
		},
		Mine:  l.node.Mine,
		Reorg: l.node.Reorg,
	}
}

// seed is of no wallet but of these tests.
var seed = []byte("causeway tests: never fund this!")

// launched is a fresh chain with tokens, a connector and a sender.
type launched struct {
	*evm.Connector
	node   *anvil.Node
	tokens map[string]*anvil.Token
	config evm.Config
	sender *evm.Sender
	paid   int
}

type launchOptions struct {
	network string                  // default Ethereum
	change  func(*evm.Config)       // of the settings
	tokens  map[string]uint8        // symbol and decimals; default USDT with 6
	without bool                    // no funds in the hot wallet
	proxy   func(url string) string // in front of the node
}

func launch(t *testing.T, o launchOptions) *launched {
	t.Helper()
	if o.network == "" {
		o.network = "Ethereum"
	}
	if o.tokens == nil {
		o.tokens = map[string]uint8{"USDT": 6}
	}
	cfg := evm.Defaults(o.network)
	l := &launched{node: anvil.Start(t, cfg.ChainID), tokens: map[string]*anvil.Token{}}
	cfg.RPC = nodes.Addresses{l.node.URL}
	if o.proxy != nil {
		cfg.RPC = nodes.Addresses{o.proxy(l.node.URL)}
	}
	xpub, err := addresses.AccountXPub(seed, evm.AccountPath)
	check(t, err)
	cfg.XPub, cfg.Tokens, cfg.L1Fee = xpub, map[string]evm.Token{}, false
	for symbol, decimals := range o.tokens {
		token := l.node.Deploy(t, symbol, decimals)
		l.tokens[symbol] = token
		cfg.Tokens[symbol] = evm.Token{Contract: token.Address.Hex(), Decimals: int32(decimals)}
	}
	if o.change != nil {
		o.change(&cfg)
	}
	l.config = cfg
	l.Connector, err = evm.Open(t.Context(), cfg, nil)
	check(t, err)
	t.Cleanup(l.Close)
	l.sender, err = evm.NewSender(l.Connector, seed)
	check(t, err)
	l.fund(t, !o.without)
	return l
}

// stranger returns each of the node's accounts in turn, so a dropped payment does not hold up the next.
func (l *launched) stranger() common.Address {
	l.paid++
	return l.node.Accounts[l.paid%len(l.node.Accounts)]
}

// fund mints tokens for all strangers and, where wanted, fills the hot wallet.
func (l *launched) fund(t *testing.T, hot bool) {
	t.Helper()
	for symbol, token := range l.tokens {
		units := whole(10_000, l.config.Tokens[symbol].Decimals)
		for _, stranger := range l.node.Accounts {
			token.Mint(t, stranger, units)
		}
		if hot {
			token.Mint(t, l.hot(), units)
		}
	}
	if hot {
		l.node.SetBalance(t, l.hot(), whole(2_000, 18))
	}
	l.node.Mine(t, 1)
}

func (l *launched) hot() common.Address { return common.HexToAddress(l.Hot()) }

func (l *launched) network() *chains.Network {
	n := l.Network()
	n.Sender = l.sender
	return n
}

func whole(n int64, decimals int32) *big.Int { return decimal.NewFromInt(n).Shift(decimals).BigInt() }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
