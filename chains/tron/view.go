package tron

import (
	"context"
	"errors"
	"fmt"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/tron/client"
)

// view asks one node for all that must fit together.
type view struct {
	*Connector
	node client.Node
}

// use has f ask the first node in order, and the next if it fails.
func (c *Connector) use(ctx context.Context, f func(v view) error) error {
	return c.nodes.Use(ctx, func(node client.Node) error { return f(view{c, node}) })
}

// pooled makes the pool of the network's nodes.
func (c *Connector) pooled() *client.Pool {
	return nodes.New(c.cfg.addresses(), nodes.Settings[*client.Client]{Timeout: c.cfg.Timeout, Verify: c.verify, Fault: faultOf, Log: c.log,
		Open: func(address string) *client.Client {
			n := nodeAt(address)
			return client.New(n.URL, n.APIKey, c.cfg.Timeout)
		},
		Wrong: func(err error) bool { return errors.Is(err, ErrChain) }})
}

// ask asks a question.
func (v view) ask(ctx context.Context, into any, path string, question any) error {
	return v.node.Client.Ask(ctx, into, path, question)
}

// verify checks the chain of a node before any other answer of it is believed: its first block, by name.
func (c *Connector) verify(ctx context.Context, node *client.Client) error {
	var first client.Header
	if err := node.Ask(ctx, &first, "wallet/getblock", blockQuestion("0")); err != nil {
		return fmt.Errorf("network %s: %w", Network, err)
	}
	if first.ID == "" {
		return odd("the node does not tell its first block")
	}
	if first.ID != c.cfg.Genesis {
		return fmt.Errorf("network %s: %w: its first block is %.64s, not %s: %w", Network, ErrChain, nodes.Words(first.ID), c.cfg.Genesis, chains.ErrDown)
	}
	return nil
}

// blameless is an error for now that is no fault of the node.
type blameless struct {
	why  string
	next bool // another node may know
}

// Error implements error.
func (b blameless) Error() string { return chains.ErrDown.Error() + ": " + b.why }

// Unwrap returns chains.ErrDown.
func (b blameless) Unwrap() error { return chains.ErrDown }

// faultOf says what an error means for its node.
func faultOf(err error) nodes.Fault {
	var none blameless
	if errors.As(err, &none) {
		return nodes.Fault{Next: none.next}
	}
	return client.FaultOf(err)
}
