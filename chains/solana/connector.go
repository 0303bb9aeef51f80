package solana

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/nodes"
)

// ErrChain says that the node serves another chain than the configured one.
var ErrChain = errors.New("the node serves another chain")

// Connector is the network: a Scanner, Addresser, Watcher, Holder and TokenBook. It holds public data only.
type Connector struct {
	cfg   Config
	nodes *nodes.Pool[*peer]
	log   logrus.FieldLogger
	hot   key

	followed atomic.Int64 // the highest block both followed and final
	known    atomic.Pointer[tables]
	adding   sync.Mutex
	done     doneBook
	watch    watch
}

var (
	_ chains.Scanner   = (*Connector)(nil)
	_ chains.Addresser = (*Connector)(nil)
	_ chains.Watcher   = (*Connector)(nil)
	_ chains.Holder    = (*Connector)(nil)
	_ chains.TokenBook = (*Connector)(nil)
)

// Open makes the connector. A silent node is not an error: it is verified on first contact. If all nodes are of another chain, the error is
// ErrChain. Log may be nil.
func Open(ctx context.Context, cfg Config, log logrus.FieldLogger) (*Connector, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	hot, err := publicAt(cfg.XPub, hotBranch, 0)
	if err != nil {
		return nil, fmt.Errorf("network %s: xpub: %w", cfg.Network, err)
	}
	if log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		log = quiet
	}
	c := &Connector{cfg: cfg, log: log.WithField("network", cfg.Network), hot: hot}
	c.known.Store(tablesOf(cfg))
	c.nodes = c.pooled()
	if err := c.nodes.Ready(ctx); errors.Is(err, ErrChain) {
		c.Close()
		return nil, err
	} else if err != nil {
		c.log.WithError(err).Warn("no node answers yet")
	}
	return c, nil
}

// Close drops the connections to the nodes.
func (c *Connector) Close() { c.nodes.Close() }

// Hot returns the address of the hot wallet.
func (c *Connector) Hot() string { return c.hot.String() }

// Validate checks the destination of a payout. Mints and the hot wallet itself cannot be paid to.
func (c *Connector) Validate(address string) (string, error) {
	canonical, err := addresses.Validate(Network, address)
	if err != nil {
		return "", err
	}
	to, ok := readKey(canonical)
	if !ok {
		return "", fmt.Errorf("%w: not base58", chains.ErrFormat)
	}
	if to == c.hot {
		return "", fmt.Errorf("%w: the hot wallet itself", chains.ErrNotPayable)
	}
	if t, mint := c.known.Load().byMint[to]; mint {
		return "", fmt.Errorf("%w: the mint of %s", chains.ErrNotPayable, t.symbol)
	}
	return canonical, nil
}

// Match implements chains.Addresser.
func (c *Connector) Match(address string) string { return addresses.Match(Network, address) }

// Derive returns the deposit address 0/index under the account.
func (c *Connector) Derive(_ context.Context, index uint32) (string, error) {
	k, err := publicAt(c.cfg.XPub, depositBranch, index)
	if err != nil {
		return "", fmt.Errorf("network %s: derive: %w", Network, err)
	}
	return k.String(), nil
}

// oddity is an impossible answer of the node.
type oddity string

// Error implements error.
func (o oddity) Error() string { return chains.ErrDown.Error() + ": " + string(o) }

// Unwrap returns chains.ErrDown.
func (o oddity) Unwrap() error { return chains.ErrDown }

// odd is an error for an impossible answer of the node.
func odd(format string, args ...any) error { return oddity(fmt.Sprintf(format, args...)) }
