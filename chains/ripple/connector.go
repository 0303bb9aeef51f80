package ripple

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/nodes"
	"causeway/chains/ripple/client"
	"causeway/internal/pay"
)

// ErrChain says that the node serves another network than the configured one.
var ErrChain = errors.New("the node serves another network")

// Connector is the network: a Scanner, Addresser, Watcher, Counter and Holder. It holds public data only.
type Connector struct {
	cfg    Config
	node   *nodes.Pool[*client.Client]
	log    logrus.FieldLogger
	hot    account
	hotKey []byte // public

	followed atomic.Int64 // the highest ledger followed
	recent   recent
	prices   prices
}

var (
	_ chains.Scanner   = (*Connector)(nil)
	_ chains.Addresser = (*Connector)(nil)
	_ chains.Watcher   = (*Connector)(nil)
	_ chains.Counter   = (*Connector)(nil)
	_ chains.Holder    = (*Connector)(nil)
)

// node is a node at its turn to be asked.
type node = nodes.Node[*client.Client]

// coinDecimals are the decimals of XRP. Its units are called drops.
const coinDecimals = 6

// coin is the symbol of XRP.
var coin = func() string {
	n, _ := pay.NetworkNamed(Network)
	return n.Coin
}()

// Open makes the connector. Silent nodes are no error: each is verified on first contact. If all nodes are of another network, the error is
// ErrChain. Log may be nil.
func Open(ctx context.Context, cfg Config, log logrus.FieldLogger) (*Connector, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	key, err := publicKey(cfg.XPub, addresses.HotBranch, 0)
	if err != nil {
		return nil, fmt.Errorf("network %s: xpub: %w", Network, err)
	}
	if log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		log = quiet
	}
	c := &Connector{cfg: cfg, log: log.WithField("network", Network), hot: accountOf(key), hotKey: key}
	c.node = nodes.New(cfg.RPC, nodes.Settings[*client.Client]{Timeout: cfg.Timeout, Log: c.log, Fault: client.FaultOf, Verify: c.verify,
		Open:  func(address string) *client.Client { return client.New(address, cfg.Timeout) },
		Wrong: func(err error) bool { return errors.Is(err, ErrChain) }})
	if err := c.node.Ready(ctx); errors.Is(err, ErrChain) {
		c.Close()
		return nil, err
	} else if err != nil {
		c.log.WithError(err).Warn("no node answers yet")
	} else {
		c.warnOfTags(ctx)
	}
	return c, nil
}

// verify checks the network of a node before any other answer of it is believed.
func (c *Connector) verify(ctx context.Context, node *client.Client) error {
	var told client.Info
	if err := node.Call(ctx, &told, "server_info", nil); err != nil {
		return fmt.Errorf("network %s: %w", Network, err)
	}
	switch id := told.Info.Network; {
	case id == nil:
		return odd("the node does not tell its network_id: rippled 1.11 and Clio 2.0 do")
	case *id != int64(c.cfg.NetworkID):
		return fmt.Errorf("network %s: %w: its network_id is %d, not %d: %w", Network, ErrChain, *id, c.cfg.NetworkID, chains.ErrDown)
	}
	return nil
}

// publicKey returns the public key of branch/index under the xpub.
func publicKey(xpub string, branch, index uint32) ([]byte, error) {
	public, err := addresses.PublicAt(xpub, branch, index)
	if err != nil {
		return nil, err
	}
	return public.SerializeCompressed(), nil
}

// accountOf is the account of a public key.
func accountOf(public []byte) account { return account(address.Hash160(public)) }

// Close drops the connections to the nodes.
func (c *Connector) Close() { c.node.Close() }

// Hot returns the address of the hot wallet.
func (c *Connector) Hot() string { return c.hot.String() }

// Validate checks the destination of a payout. The hot wallet itself cannot be paid to.
func (c *Connector) Validate(address string) (string, error) {
	canonical, err := addresses.Validate(Network, address)
	if err != nil {
		return "", err
	}
	if c.Match(canonical) == c.Hot() {
		return "", fmt.Errorf("%w: the hot wallet itself", chains.ErrNotPayable)
	}
	return canonical, nil
}

// Match implements chains.Addresser: the classic address of an account.
func (c *Connector) Match(address string) string { return addresses.Match(Network, address) }

// Derive returns the deposit address 0/index under the account's xpub.
func (c *Connector) Derive(_ context.Context, index uint32) (string, error) {
	address, err := addresses.FromXPub(Network, c.cfg.XPub, index)
	if err != nil {
		return "", fmt.Errorf("network %s: derive: %w", Network, err)
	}
	return address, nil
}

// oddity is an impossible answer of a node.
type oddity string

// Error implements error.
func (o oddity) Error() string { return chains.ErrDown.Error() + ": " + string(o) }

// Unwrap returns chains.ErrDown.
func (o oddity) Unwrap() error { return chains.ErrDown }

// odd is an error for an impossible answer of a node.
func odd(format string, args ...any) error { return oddity(fmt.Sprintf(format, args...)) }

// xrp returns so many drops in XRP.
func xrp(drops int64) decimal.Decimal { return decimal.New(drops, -coinDecimals) }
