package evm

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
	"causeway/chains/evm/client"
	"causeway/internal/pay"
)

// Mistakes in the settings shown by a node. Nothing works until they are mended.
var (
	// ErrChain says that the node serves another chain than the configured one.
	ErrChain = errors.New("the node serves another chain")
	// ErrDecimals says that a token's contract has other decimals than configured: every amount would be wrong.
	ErrDecimals = errors.New("the token has other decimals")
)

// Connector is one EVM network: a Scanner, Addresser, Watcher, Counter and Holder. It holds public data only.
type Connector struct {
	cfg    Config
	node   *client.Pool
	log    logrus.FieldLogger
	coin   token
	known  atomic.Pointer[tables]
	adding sync.Mutex // held by Watch
	hot    common.Address

	single       atomic.Bool  // the node knows no eth_getBlockReceipts
	receiptsLate atomic.Int64 // until when it is not asked for, in ns since 1970: it was too slow
	span         atomic.Int64 // how many blocks the node answers logs for at once
	stride       atomic.Int64 // how many blocks are read at once
	late         late         // the block with late traces
	opaque       sync.Map     // transactions logged as untraced, by hash
	disputes     sync.Map     // blocks in which nodes tell other transfers, by hash
	finality     finality
	cut          cut
}

// cut counts how often blocks were read in part.
type cut struct {
	times atomic.Int64 // since told
	told  atomic.Int64 // when the last line was logged, in ns since 1970
}

// finality remembers the node's answers about finality. It only grows.
type finality struct {
	sync.Mutex
	served map[string]bool // the tags ever answered by the node
	final  int64           // the highest block both followed and final
	shown  string          // the rule logged last
}

var (
	_ chains.Scanner   = (*Connector)(nil)
	_ chains.Addresser = (*Connector)(nil)
	_ chains.Watcher   = (*Connector)(nil)
	_ chains.Counter   = (*Connector)(nil)
	_ chains.Holder    = (*Connector)(nil)
)

// Open makes the connector of a network. A silent node is not an error: it is verified on first contact. If all nodes are
// of another chain, it returns ErrChain, or ErrDecimals if a token has other decimals. Log may be nil.
func Open(ctx context.Context, cfg Config, log logrus.FieldLogger) (*Connector, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	hot, err := hotAddress(cfg.XPub)
	if err != nil {
		return nil, fmt.Errorf("network %s: xpub: %w", cfg.Network, err)
	}
	if log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		log = quiet
	}
	n, _ := pay.NetworkNamed(cfg.Network)
	c := &Connector{
		cfg: cfg,
		log: log.WithField("network", cfg.Network),
		hot: hot,
	}
	c.node = c.pool()
	c.known.Store(tablesOf(cfg, n.Coin))
	c.coin = c.tokens()[n.Coin]
	c.span.Store(int64(cfg.MaxRange))
	c.stride.Store(int64(cfg.Batch))
	c.finality.served = map[string]bool{}
	if head, err := c.Head(ctx, -1); isWrong(err) {
		c.Close()
		return nil, err
	} else if err != nil {
		c.log.WithError(err).Warn("the node does not answer yet")
	} else {
		c.announce(ctx, head.Height)
	}
	if c.misses() {
		c.log.Warnf("%s that contracts send is not seen, nor credited: traces is off", n.Coin)
	}
	return c, nil
}

// Close drops the connections to the nodes.
func (c *Connector) Close() { c.node.Close() }

// Requests returns how many HTTP requests this process has sent to the nodes.
func (c *Connector) Requests() int64 { return c.node.Requests() }

// Hot returns the address of the hot wallet, in the spelling of Match.
func (c *Connector) Hot() string { return c.Match(c.hot.Hex()) }

// Start returns the configured first block to follow, 0 for the head.
func (c *Connector) Start() int64 { return c.cfg.Start }

// oddity is an impossible answer of the node.
type oddity string

// Error implements error.
func (o oddity) Error() string { return chains.ErrDown.Error() + ": " + string(o) }

// Unwrap returns chains.ErrDown.
func (o oddity) Unwrap() error { return chains.ErrDown }

// odd is an error for an impossible answer of the node.
func odd(format string, args ...any) error { return oddity(fmt.Sprintf(format, args...)) }

// blame has the next node asked after an impossible answer.
func (c *Connector) blame(err error) {
	var o oddity
	if errors.As(err, &o) {
		c.node.Blame(err)
	}
}
