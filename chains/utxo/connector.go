package utxo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/utxo/client"
)

// ErrChain says that the node serves another chain than the configured one.
var ErrChain = errors.New("the node serves another chain")

// Connector is one network of the family: a Scanner, Mempool, Addresser, Watcher and Holder. It holds public data only.
type Connector struct {
	cfg   Config
	coin  *coin
	chain chain
	nodes *client.Pool
	log   logrus.FieldLogger
	open  context.Context // until Close
	end   context.CancelFunc

	hotKey    []byte // public
	hot       string // in the spelling of Match
	hotScript []byte

	followed  atomic.Int64 // the highest block both followed and final
	best      atomic.Pointer[best]
	coinbases coinbases
	pool      pool
	index     index
}

var (
	_ chains.Scanner   = (*Connector)(nil)
	_ chains.Mempool   = (*Connector)(nil)
	_ chains.Addresser = (*Connector)(nil)
	_ chains.Watcher   = (*Connector)(nil)
	_ chains.Holder    = (*Connector)(nil)
)

// Open makes the connector of a network. A silent node is not an error: it is verified on first contact. If all nodes are of another
// chain, the error is ErrChain. Log may be nil.
func Open(ctx context.Context, cfg Config, log logrus.FieldLogger) (*Connector, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	key, hot, err := hotWallet(cfg.Network, cfg.XPub)
	if err != nil {
		return nil, fmt.Errorf("network %s: xpub: %w", cfg.Network, err)
	}
	script, err := addresses.Script(cfg.Network, hot)
	if err != nil {
		return nil, fmt.Errorf("network %s: xpub: %w", cfg.Network, err)
	}
	if log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		log = quiet
	}
	c := &Connector{cfg: cfg, coin: coins[cfg.Network], log: log.WithField("network", cfg.Network),
		hotKey: key, hot: hot, hotScript: script, index: index{turn: make(chan struct{}, 1)}}
	c.nodes = c.pooled()
	c.open, c.end = context.WithCancel(context.WithoutCancel(ctx))
	if c.chain = c.coin.main; cfg.Chain == regtestChain {
		c.chain = c.coin.regtest
		c.chain.trial = true
	}
	if err := c.nodes.Ready(ctx); errors.Is(err, ErrChain) {
		c.Close()
		return nil, err
	} else if err != nil {
		c.log.WithError(err).Warn("the node does not answer yet")
	}
	c.announce()
	return c, nil
}

// hotWallet returns the public key of 1/0 under the account, and its address in the spelling of Match.
func hotWallet(network, xpub string) (key []byte, address string, err error) {
	public, err := addresses.PublicAt(xpub, addresses.HotBranch, 0)
	if err != nil {
		return nil, "", err
	}
	key = public.SerializeCompressed()
	return key, addresses.OfScript(network, coins[network].ownScript(key)), nil
}

// Close ends what goes on, and drops the connections to the nodes.
func (c *Connector) Close() {
	c.end()
	c.nodes.Close()
}

// Hot returns the address of the hot wallet, in the spelling of Match.
func (c *Connector) Hot() string { return c.hot }

// oddity is an impossible answer of the node.
type oddity string

// Error implements error.
func (o oddity) Error() string { return chains.ErrDown.Error() + ": " + string(o) }

// Unwrap returns chains.ErrDown.
func (o oddity) Unwrap() error { return chains.ErrDown }

// odd is an error for an impossible answer of the node.
func odd(format string, args ...any) error { return oddity(fmt.Sprintf(format, args...)) }
