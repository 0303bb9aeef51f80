// Package cardano connects Cardano through Ogmios: it follows blocks, and pays ADA. Other tokens are seen beside it and left alone.
package cardano

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/cardano/client"
	"causeway/chains/nodes"
)

// ErrChain says that the node serves another chain than the configured one.
var ErrChain = errors.New("the node serves another chain")

// coin is the symbol of the native coin, and decimals are its digits.
const (
	coin     = "ADA"
	decimals = 6
)

// Connector is the network: a Scanner, Addresser, Watcher and Holder. It holds public data only.
type Connector struct {
	cfg Config
	log logrus.FieldLogger
	hot string // in the spelling of Match

	nodes    *nodes.Pool[*peer]
	followed atomic.Int64 // the highest block both followed and final
	marks    atomic.Pointer[recall]
	apart    atomic.Pointer[apartCoins]
}

// apartCoins names coins of the books (chains.Network.Apart).
type apartCoins func(ctx context.Context, height int64) ([]string, error)

var (
	_ chains.Scanner   = (*Connector)(nil)
	_ chains.Addresser = (*Connector)(nil)
	_ chains.Watcher   = (*Connector)(nil)
	_ chains.Holder    = (*Connector)(nil)
)

// Open makes the connector. A silent node is not an error: it is verified on first contact. If all nodes are of another chain, the
// error is ErrChain. Log may be nil.
func Open(ctx context.Context, cfg Config, log logrus.FieldLogger) (*Connector, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	hot, err := addressAt(cfg.XPub, hotBranch, 0)
	if err != nil {
		return nil, fmt.Errorf("network %s: xpub: %w", Network, err)
	}
	if log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		log = quiet
	}
	c := &Connector{cfg: cfg, log: log.WithField("network", Network), hot: hot}
	c.nodes = nodes.New(cfg.RPC, nodes.Settings[*peer]{Timeout: cfg.Timeout, Log: c.log, Open: c.peerAt, Fault: faultOf,
		Wrong: func(err error) bool { return errors.Is(err, ErrChain) }})
	err = c.nodes.Use(ctx, func(n node) error {
		return n.Client.asker.Use(ctx, func(*client.Session) error { return nil })
	})
	if errors.Is(err, ErrChain) {
		c.Close()
		return nil, err
	}
	if err != nil {
		c.log.WithError(err).Warn("no node answers yet")
	}
	return c, nil
}

// recall names the blocks that the books remember (chains.Network.Recall).
type recall func(ctx context.Context) ([]chains.Mark, error)

// Recall has the place in the chain of each node found again by the blocks in the books.
func (c *Connector) Recall(marks func(ctx context.Context) ([]chains.Mark, error)) {
	c.marks.Store(new(recall(marks)))
}

// Close drops the connections to the nodes.
func (c *Connector) Close() { c.nodes.Close() }

// Hot returns the address of the hot wallet, in the spelling of Match.
func (c *Connector) Hot() string { return c.hot }

// Validate implements chains.Addresser. The key of the hot wallet with a part for stake is not paid to, as the hot wallet is not.
func (c *Connector) Validate(address string) (string, error) {
	if plain, ok := addresses.CardanoPlain(address); ok && plain == c.hot {
		return "", fmt.Errorf("%w: it is the hot wallet's key", chains.ErrNotPayable)
	}
	return addresses.Validate(Network, address)
}

// Apart implements chains.Network.Apart: an address of our key with somebody's part for stake is another form of ours.
func (c *Connector) Apart(coins func(ctx context.Context, height int64) ([]string, error)) {
	c.apart.Store(new(apartCoins(coins)))
}

// Match implements chains.Addresser.
func (c *Connector) Match(address string) string { return addresses.Match(Network, address) }

// Derive implements chains.Addresser: an address of a key alone, without a part for stake.
func (c *Connector) Derive(_ context.Context, index uint32) (string, error) {
	address, err := addressAt(c.cfg.XPub, depositBranch, index)
	if err != nil {
		return "", fmt.Errorf("network %s: derive: %w", Network, err)
	}
	return address, nil
}

// amountOf writes lovelace as ADA.
func amountOf(units int64) decimal.Decimal { return decimal.New(units, -decimals) }

// oddity is an impossible answer of the node.
type oddity string

// Error implements error.
func (o oddity) Error() string { return chains.ErrDown.Error() + ": " + string(o) }

// Unwrap returns chains.ErrDown.
func (o oddity) Unwrap() error { return chains.ErrDown }

// odd is an error for an impossible answer of the node.
func odd(format string, args ...any) error { return oddity(fmt.Sprintf(format, args...)) }
