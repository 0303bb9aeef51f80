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
	"causeway/chains/solana/client"
)

// ErrChain says that the node serves another chain than the configured one.
var ErrChain = errors.New("the node serves another chain")

// Connector is the network: a Scanner, Addresser, Watcher, Holder and TokenBook. It holds public data only.
type Connector struct {
	cfg  Config
	node *client.Client
	log  logrus.FieldLogger
	hot  key

	verified atomic.Bool
	followed atomic.Int64 // the highest block that was followed
	known    atomic.Pointer[tables]
	adding   sync.Mutex
	groups   groups
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

// Open makes the connector. A silent node is not an error: it is verified on first contact. If the node is of another chain, the error is
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
	c := &Connector{cfg: cfg, node: client.New(cfg.RPC, cfg.Timeout), log: log.WithField("network", cfg.Network), hot: hot}
	c.known.Store(tablesOf(cfg))
	if err := c.ready(ctx); errors.Is(err, ErrChain) {
		c.Close()
		return nil, err
	} else if err != nil {
		c.log.WithError(err).Warn("the node does not answer yet")
	}
	return c, nil
}

// Close drops the connections to the node.
func (c *Connector) Close() { c.node.Close() }

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

// ask asks a verified node. A node that was silent may be another one when it answers again, so it is verified anew.
func (c *Connector) ask(ctx context.Context, into any, method string, params ...any) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	err := c.node.Ask(ctx, into, method, params...)
	if err != nil && client.Answered(err) == nil {
		c.verified.Store(false)
	}
	return err
}

// ready checks the chain of the node before any other answer of it is believed: the hash of its first block.
func (c *Connector) ready(ctx context.Context) error {
	if c.verified.Load() {
		return nil
	}
	var genesis string
	if err := c.node.Ask(ctx, &genesis, "getGenesisHash"); err != nil {
		return fmt.Errorf("network %s: %w", Network, err)
	}
	if genesis != c.cfg.Genesis {
		return fmt.Errorf("network %s: %w: its first block is %s, not %s: %w", Network, ErrChain, nodes.Words(genesis), c.cfg.Genesis, chains.ErrDown)
	}
	c.verified.Store(true)
	return nil
}

// oddity is an impossible answer of the node.
type oddity string

// Error implements error.
func (o oddity) Error() string { return chains.ErrDown.Error() + ": " + string(o) }

// Unwrap returns chains.ErrDown.
func (o oddity) Unwrap() error { return chains.ErrDown }

// odd is an error for an impossible answer of the node.
func odd(format string, args ...any) error { return oddity(fmt.Sprintf(format, args...)) }
