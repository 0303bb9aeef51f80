package client

import (
	"context"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/chains/nodes"
)

// Pool asks the nodes of a list (see nodes.Pool). It is safe for use by many goroutines.
type Pool struct{ *nodes.Pool[*Client] }

// Node is a node of a Pool at its turn to be asked.
type Node = nodes.Node[*Client]

// Settings are what all nodes of a pool have in common.
type Settings struct {
	Timeout   time.Duration // for one HTTP request
	Batch     int           // the most questions in one; 1 for nodes without batches
	PerSecond int           // the most requests of a second to each node; 0 is no bound
	// Verify checks a node before any other answer of it is believed. Wrong reports whether an error of Verify condemns the node.
	Verify func(ctx context.Context, node *Client) error
	Wrong  func(err error) bool
	Log    logrus.FieldLogger
}

// NewPool makes a pool of the nodes at some addresses. No node is asked.
func NewPool(addresses []string, s Settings) *Pool {
	open := func(address string) *Client {
		c := New(address, s.Timeout, s.Batch)
		c.Budget(s.PerSecond)
		return c
	}
	return &Pool{nodes.New(addresses, nodes.Settings[*Client]{Timeout: s.Timeout, Open: open, Verify: s.Verify, Wrong: s.Wrong, Fault: faultOf, Log: s.Log})}
}

// Within returns the same pool with another timeout.
func (p *Pool) Within(timeout time.Duration) *Pool { return &Pool{p.Pool.Within(timeout)} }

// Call asks one question. Errors are *Error, or those of Verify.
func (p *Pool) Call(ctx context.Context, result any, method string, params ...any) error {
	return p.Batch(ctx, Ask(result, method, params...))
}

// Batch is Client.Batch. All questions are asked of one node.
func (p *Pool) Batch(ctx context.Context, questions ...*Question) error {
	if err := p.Each(ctx, questions...); err != nil {
		return err
	}
	for _, q := range questions {
		if q.Err != nil {
			return q.Err
		}
	}
	return nil
}

// Each is Client.Each. All questions are asked of one node: if it fails one of them, all are asked of the next.
func (p *Pool) Each(ctx context.Context, questions ...*Question) error {
	answered := false
	err := p.Use(ctx, func(node Node) error {
		answered = false
		if err := node.Client.Each(ctx, questions...); err != nil {
			return err
		}
		answered = true
		for _, q := range questions {
			q.Err = node.Named(q.Err)
		}
		return failed(questions)
	})
	if answered { // the errors of questions stay in them
		return nil
	}
	return err
}

// failed returns the first error of a question that another node may answer.
func failed(questions []*Question) error {
	for _, q := range questions {
		if IsClass(q.Err, Busy) || IsClass(q.Err, Down) {
			return q.Err
		}
	}
	return nil
}
