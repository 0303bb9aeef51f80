// Package monero is the connector of Monero. It finds payments by its own reading of blocks with the view key, asks a wallet server that
// cannot spend for the coins' key images and the balances, and, where it is given the seed, has the signer's wallet server make
// transactions. Coins exclude here: a key image is spent once. One file for each verb; the servers' words are in client.
package monero

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/monero/client"
	"causeway/chains/nodes"
	"causeway/internal/pay"
)

// ErrChain says that the node serves another chain than the configured one.
var ErrChain = errors.New("the node serves another chain")

// Connector is the network: a Scanner, Mempool, Addresser, Watcher and Holder. It holds the view key, and nothing that can spend.
type Connector struct {
	cfg   Config
	view  *view
	node  *nodes.Pool[*client.Client]
	log   logrus.FieldLogger
	known known
	read  read
	pool  pool
	seer  *wallet         // it sees, and cannot spend
	open  context.Context // until Close
	end   context.CancelFunc

	followed atomic.Int64 // the highest block both followed and final
}

var (
	_ chains.Scanner   = (*Connector)(nil)
	_ chains.Addresser = (*Connector)(nil)
	_ chains.Watcher   = (*Connector)(nil)
	_ chains.Holder    = (*Connector)(nil)
	_ chains.Mempool   = (*Connector)(nil)
)

// node is a node at its turn to be asked.
type node = nodes.Node[*client.Client]

// decimals of XMR.
const decimals = 12

// coin is the symbol of XMR.
var coin = func() string {
	n, _ := pay.NetworkNamed(Network)
	return n.Coin
}()

// Open makes the connector. A silent node is no error: it is verified on first contact. If all nodes are of another chain, the error is
// ErrChain. Log may be nil.
func Open(ctx context.Context, cfg Config, log logrus.FieldLogger) (*Connector, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	seen, err := readView(cfg.View)
	if err != nil {
		return nil, fmt.Errorf("network %s: view: %w", Network, err)
	}
	if log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		log = quiet
	}
	c := &Connector{cfg: cfg, view: seen, log: log.WithField("network", Network)}
	c.open, c.end = context.WithCancel(context.WithoutCancel(ctx))
	c.seer = c.newWallet(cfg.Wallet, nil)
	c.node = nodes.New(cfg.RPC, nodes.Settings[*client.Client]{Timeout: cfg.Timeout, Log: c.log, Fault: client.FaultOf, Verify: c.verify,
		Open:  func(address string) *client.Client { return client.New(address, cfg.Timeout) },
		Wrong: func(err error) bool { return errors.Is(err, ErrChain) }})
	if words := cfg.depths().Words(cfg.Rule.Credit); words != "" {
		c.log.Info(words)
	}
	if err := c.node.Ready(ctx); errors.Is(err, ErrChain) {
		c.Close()
		return nil, err
	} else if err != nil {
		c.log.WithError(err).Warn("no node answers yet")
	}
	return c, nil
}

// genesis is the first block, of trials too.
const genesis = "418015bb9ae982a1975da7d79277c2705727a56894ba0fb246adaabb1f4632e3"

// nodeNames are the chains in the words of nodes.
var nodeNames = map[string]string{mainChain: "mainnet", regtestChain: "fakechain"}

// verify checks the chain of a node before any other answer of it is believed.
func (c *Connector) verify(ctx context.Context, node *client.Client) error {
	var info client.Info
	if err := node.Call(ctx, &info, "get_info", nil); err != nil {
		return fmt.Errorf("network %s: %w", Network, err)
	}
	first, err := node.At(ctx, 0)
	switch {
	case err != nil:
		return fmt.Errorf("network %s: %w", Network, err)
	case info.Network != nodeNames[c.cfg.Chain] || first.Hash != genesis:
		return fmt.Errorf("network %s: %w: it is %.20q, not %s: %w", Network, ErrChain, info.Network, nodeNames[c.cfg.Chain], chains.ErrDown)
	}
	return nil
}

// Close drops the connections to the nodes and the wallet server.
func (c *Connector) Close() {
	c.end()
	c.node.Close()
	c.seer.server.Close()
}

// Validate implements chains.Addresser.
func (c *Connector) Validate(address string) (string, error) {
	return addresses.Validate(Network, address)
}

// Match implements chains.Addresser.
func (c *Connector) Match(address string) string { return addresses.Match(Network, address) }

// Derive returns subaddress 0/index+1: the main address is the hot wallet's.
func (c *Connector) Derive(_ context.Context, index uint32) (string, error) {
	if index >= 1<<31-1 {
		return "", fmt.Errorf("network %s: derive: %w", Network, addresses.ErrPath)
	}
	return c.view.address(index + 1), nil
}

func (c *Connector) explain(txid string) string {
	if c.cfg.Explorer == "" {
		return ""
	}
	return strings.ReplaceAll(c.cfg.Explorer, "{txid}", txid)
}

// amountOf writes units as whole coins.
func amountOf(units uint64) decimal.Decimal { return decimal.NewFromUint64(units).Shift(-decimals) }

// odd is an error for an impossible answer.
func odd(format string, args ...any) error {
	return fmt.Errorf("%w: %s", chains.ErrDown, fmt.Sprintf(format, args...))
}
