package solana

import (
	"context"
	"errors"
	"fmt"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/solana/client"
)

// view asks one node for all that must fit together.
type view struct {
	*Connector
	*peer
	node nodes.Node[*peer]
}

// use has f ask the first node in order, and the next if it fails.
func (c *Connector) use(ctx context.Context, f func(v view) error) error {
	return c.nodes.Use(ctx, func(node nodes.Node[*peer]) error { return f(view{c, node.Client, node}) })
}

// pooled makes the pool of the network's nodes.
func (c *Connector) pooled() *nodes.Pool[*peer] {
	return nodes.New(c.cfg.RPC, nodes.Settings[*peer]{Timeout: c.cfg.Timeout, Verify: c.verify, Fault: faultOf, Log: c.log,
		Open:  func(address string) *peer { return peerAt(address, c.cfg.Timeout) },
		Wrong: func(err error) bool { return errors.Is(err, ErrChain) }})
}

// verify checks the chain of a node before any other answer of it is believed: the hash of its first block.
func (c *Connector) verify(ctx context.Context, node *peer) error {
	node.groups.forget() // another node may stand there now
	var genesis string
	if err := node.Ask(ctx, &genesis, "getGenesisHash"); err != nil {
		return fmt.Errorf("network %s: %w", Network, err)
	}
	if genesis != c.cfg.Genesis {
		return fmt.Errorf("network %s: %w: its first block is %s, not %s: %w", Network, ErrChain, nodes.Words(genesis), c.cfg.Genesis, chains.ErrDown)
	}
	return nil
}

// errRefused has the next node offered bytes that one does not take. It is no fault of the node.
var errRefused = fmt.Errorf("%w: the node does not take it", chains.ErrDown)

// faultOf says what an error means for its node.
func faultOf(err error) nodes.Fault {
	if errors.Is(err, errRefused) {
		return nodes.Fault{Next: true}
	}
	return client.FaultOf(err)
}
