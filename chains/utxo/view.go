package utxo

import (
	"context"
	"errors"
	"fmt"
	"io"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/utxo/client"
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
	return nodes.New(c.cfg.RPC, nodes.Settings[*client.Client]{Timeout: c.cfg.Timeout, Verify: c.verify, Fault: faultOf, Log: c.log,
		Open:  func(address string) *client.Client { return client.New(address, c.cfg.Timeout) },
		Wrong: func(err error) bool { return errors.Is(err, ErrChain) }})
}

// ask asks questions, and returns the first error.
func (v view) ask(ctx context.Context, questions ...*client.Question) error {
	return v.node.Client.Batch(ctx, questions...)
}

// each is like ask, but leaves the errors of single questions in the questions.
func (v view) each(ctx context.Context, questions ...*client.Question) error {
	return v.node.Client.Each(ctx, questions...)
}

// eachKnown asks questions that the node may have no answer to.
func (v view) eachKnown(ctx context.Context, questions []*client.Question) error {
	if err := v.each(ctx, questions...); err != nil {
		return err
	}
	for _, q := range questions {
		if q.Err != nil && !client.IsClass(q.Err, client.Missing) {
			return q.Err
		}
	}
	return nil
}

// askRaw asks for bytes, which are read as they come.
func (v view) askRaw(ctx context.Context, read func(io.Reader) error, method string, params ...any) error {
	return v.node.Client.Raw(ctx, read, method, params...)
}

// lack says that an honest node may not have what is asked for. The next one is asked, and the node is not left alone.
type lack string

// Error implements error.
func (l lack) Error() string { return chains.ErrDown.Error() + ": " + string(l) }

// Unwrap returns chains.ErrDown.
func (l lack) Unwrap() error { return chains.ErrDown }

func lacking(format string, args ...any) error { return lack(fmt.Sprintf(format, args...)) }

// unfinished says that an answer takes longer than its caller waits. It goes on with the next question, of the same node.
type unfinished string

// Error implements error.
func (u unfinished) Error() string { return chains.ErrDown.Error() + ": " + string(u) }

// Unwrap returns chains.ErrDown.
func (u unfinished) Unwrap() error { return chains.ErrDown }

func later(format string, args ...any) error { return unfinished(fmt.Sprintf(format, args...)) }

// faultOf says what an error means for its node.
func faultOf(err error) nodes.Fault {
	var late unfinished
	var missing lack
	switch {
	case errors.As(err, &late):
		return nodes.Fault{}
	case errors.As(err, &missing):
		return nodes.Fault{Next: true}
	default:
		return client.FaultOf(err)
	}
}
