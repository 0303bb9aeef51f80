// Package ton is the connector of TON: it follows the accounts of the operator by the blocks of the masterchain, derives wallets from one
// public key, and, where it is given the seed, signs payouts from one hot wallet. A number excludes here: a wallet carries out each seqno once.
// Payins share one wallet and are told apart by their comments. One file for each verb; the node's words are in client.
package ton

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/nodes"
	"causeway/chains/ton/client"
)

// ErrChain says that the node serves another chain than the configured one.
var ErrChain = errors.New("the node serves another chain")

// Connector is the network: a Scanner, Addresser, Watcher, Counter, Holder and TokenBook. It holds public data only.
type Connector struct {
	cfg     Config
	node    *nodes.Pool[*client.Client]
	log     logrus.FieldLogger
	key     []byte // public
	hot     account
	deposit account  // shared by payins
	cold    *account // nil for none

	followed atomic.Int64 // the highest block followed
	known    atomic.Pointer[tables]
	adding   sync.Mutex
	wallets  wallets
	past     past
	sent     sent
	asked    atomic.Pointer[func(context.Context) ([]string, error)]

	patience   time.Duration // of a step
	unfinished unfinished
}

var (
	_ chains.Scanner   = (*Connector)(nil)
	_ chains.Addresser = (*Connector)(nil)
	_ chains.Watcher   = (*Connector)(nil)
	_ chains.Counter   = (*Connector)(nil)
	_ chains.Holder    = (*Connector)(nil)
	_ chains.TokenBook = (*Connector)(nil)
)

// node is a node at its turn to be asked.
type node = nodes.Node[*client.Client]

// Open makes the connector. Silent nodes are no error: each is verified on first contact. If all nodes are of another chain, the error is
// ErrChain. Log may be nil.
func Open(ctx context.Context, cfg Config, log logrus.FieldLogger) (*Connector, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		log = quiet
	}
	c := &Connector{cfg: cfg, log: log.WithField("network", Network), patience: patience}
	if err := c.derive(); err != nil {
		return nil, fmt.Errorf("network %s: %w", Network, err)
	}
	c.node = nodes.New(cfg.RPC, nodes.Settings[*client.Client]{Timeout: cfg.Timeout, Log: c.log, Fault: client.FaultOf, Verify: c.verify,
		Open:  func(address string) *client.Client { return client.New(address, cfg.APIKey, cfg.Timeout) },
		Wrong: func(err error) bool { return errors.Is(err, ErrChain) }})
	if err := c.node.Ready(ctx); errors.Is(err, ErrChain) {
		c.Close()
		return nil, err
	} else if err != nil {
		c.log.WithError(err).Warn("no node answers yet")
	} else {
		c.warnOfCode(ctx)
	}
	return c, nil
}

// derive computes the accounts of the settings.
func (c *Connector) derive() (err error) {
	if c.key, err = c.cfg.key(); err != nil {
		return err
	}
	if c.hot, _, err = walletOf(c.key, hotSubwallet); err != nil {
		return err
	}
	if c.deposit, _, err = walletOf(c.key, subwalletOf(0)); err != nil {
		return err
	}
	if c.cfg.Cold != "" {
		cold, err := readAccount(c.cfg.Cold)
		if err != nil {
			return err
		}
		c.cold = &cold
	}
	tables, err := tablesOf(c.cfg)
	c.known.Store(tables)
	return err
}

// verify checks the chain of a node before any other answer of it is believed.
func (c *Connector) verify(ctx context.Context, node *client.Client) error {
	_, first, err := node.Tip(ctx)
	if err != nil {
		return fmt.Errorf("network %s: %w", Network, err)
	}
	var want client.Hash
	raw, _ := base64.StdEncoding.DecodeString(c.cfg.Genesis)
	copy(want[:], raw)
	if first != want.String() {
		return fmt.Errorf("network %s: %w: its first state is %s: %w", Network, ErrChain, first, chains.ErrDown)
	}
	return nil
}

// Close drops the connections to the nodes.
func (c *Connector) Close() { c.node.Close() }

// Hot returns the address of the hot wallet.
func (c *Connector) Hot() string { return c.hot.String() }

// Validate checks the destination of a payout. The hot wallet itself cannot be paid to, nor the master of a token: nothing leaves it again.
func (c *Connector) Validate(address string) (string, error) {
	canonical, err := addresses.Validate(Network, address)
	if err != nil {
		return "", err
	}
	if c.Match(canonical) == c.Hot() {
		return "", fmt.Errorf("%w: the hot wallet itself", chains.ErrNotPayable)
	}
	a, err := readAccount(canonical)
	if err != nil {
		return "", err
	}
	for _, t := range c.known.Load().jettons() {
		if t.master == a {
			return "", fmt.Errorf("%w: the master of %s", chains.ErrNotPayable, t.symbol)
		}
	}
	return canonical, nil
}

// Match implements chains.Addresser: the form of a wallet's address that does not bounce.
func (c *Connector) Match(address string) string { return addresses.Match(Network, address) }

// Derive returns the wallet of a deposit index.
func (c *Connector) Derive(_ context.Context, index uint32) (string, error) {
	a, _, err := walletOf(c.key, subwalletOf(index))
	if err != nil {
		return "", fmt.Errorf("network %s: derive: %w", Network, err)
	}
	return a.String(), nil
}

// AskFor has more accounts followed: those at which payments are awaited, in the spelling of Match.
func (c *Connector) AskFor(addresses func(ctx context.Context) ([]string, error)) {
	c.asked.Store(&addresses)
}

// watched returns the accounts to be followed, each once.
func (c *Connector) watched(ctx context.Context) ([]account, error) {
	out := []account{c.hot, c.deposit}
	if c.cold != nil {
		out = append(out, *c.cold)
	}
	asked := c.asked.Load()
	if asked == nil {
		return out, nil
	}
	more, err := (*asked)(ctx)
	if err != nil {
		return nil, err
	}
	for _, text := range more {
		a, err := readAccount(text)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	seen := map[account]bool{}
	kept := out[:0]
	for _, a := range out {
		if !seen[a] {
			seen[a], kept = true, append(kept, a)
		}
	}
	return kept, nil
}

// oddity is an impossible answer of a node.
type oddity string

// Error implements error.
func (o oddity) Error() string { return chains.ErrDown.Error() + ": " + string(o) }

// Unwrap returns chains.ErrDown.
func (o oddity) Unwrap() error { return chains.ErrDown }

// odd is an error for an impossible answer of a node.
func odd(format string, args ...any) error { return oddity(fmt.Sprintf(format, args...)) }

// whole returns so many nanotons in TON.
func whole(nano int64) decimal.Decimal { return decimal.New(nano, -coinDecimals) }
