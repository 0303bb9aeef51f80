package tron

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/tron/client"
)

// ErrChain says that the node serves another chain than the configured one.
var ErrChain = errors.New("the node serves another chain")

// Connector is the network: a Scanner, Addresser, Watcher, Holder and TokenBook. It holds public data only.
type Connector struct {
	cfg   Config
	nodes *client.Pool
	log   logrus.FieldLogger
	hot   common.Address

	followed atomic.Int64 // the highest block both followed and final
	known    atomic.Pointer[tables]
	adding   sync.Mutex
	recent   recent
	disputes sync.Map // the ids of blocks whose logs two nodes tell otherwise
	prices   prices
}

var (
	_ chains.Scanner   = (*Connector)(nil)
	_ chains.Addresser = (*Connector)(nil)
	_ chains.Watcher   = (*Connector)(nil)
	_ chains.Holder    = (*Connector)(nil)
	_ chains.TokenBook = (*Connector)(nil)
)

// Open makes the connector. A silent node is not an error: it is verified on first contact. If all nodes are of another chain, the error
// is ErrChain. Log may be nil.
func Open(ctx context.Context, cfg Config, log logrus.FieldLogger) (*Connector, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	hot, err := hotAccount(cfg.XPub)
	if err != nil {
		return nil, fmt.Errorf("network %s: xpub: %w", cfg.Network, err)
	}
	if log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		log = quiet
	}
	c := &Connector{cfg: cfg, log: log.WithField("network", cfg.Network), hot: hot}
	tables, err := tablesOf(cfg)
	if err != nil {
		return nil, err
	}
	c.known.Store(tables)
	c.nodes = c.pooled()
	if err := c.nodes.Ready(ctx); errors.Is(err, ErrChain) {
		c.Close()
		return nil, err
	} else if err != nil {
		c.log.WithError(err).Warn("the node does not answer yet")
	}
	return c, nil
}

// Close drops the connections to the nodes.
func (c *Connector) Close() { c.nodes.Close() }

// Hot returns the address of the hot wallet.
func (c *Connector) Hot() string { return addresses.TronOf(c.hot) }

// Validate checks the destination of a payout. Contracts of tokens and the hot wallet itself cannot be paid to.
func (c *Connector) Validate(address string) (string, error) {
	canonical, err := addresses.Validate(Network, address)
	if err != nil {
		return "", err
	}
	to, err := addresses.TronAccount(canonical)
	if err != nil {
		return "", err
	}
	if common.Address(to) == c.hot {
		return "", fmt.Errorf("%w: the hot wallet itself", chains.ErrNotPayable)
	}
	if t, contract := c.known.Load().byContract[to]; contract {
		return "", fmt.Errorf("%w: the contract of %s", chains.ErrNotPayable, t.symbol)
	}
	return canonical, nil
}

// Match implements chains.Addresser.
func (c *Connector) Match(address string) string { return addresses.Match(Network, address) }

// Derive returns the deposit address 0/index under the account's xpub.
func (c *Connector) Derive(_ context.Context, index uint32) (string, error) {
	address, err := addresses.FromXPub(Network, c.cfg.XPub, index)
	if err != nil {
		return "", fmt.Errorf("network %s: derive: %w", Network, err)
	}
	return address, nil
}

// oddity is an impossible answer of the node.
type oddity string

// Error implements error.
func (o oddity) Error() string { return chains.ErrDown.Error() + ": " + string(o) }

// Unwrap returns chains.ErrDown.
func (o oddity) Unwrap() error { return chains.ErrDown }

// odd is an error for an impossible answer of the node.
func odd(format string, args ...any) error { return oddity(fmt.Sprintf(format, args...)) }
