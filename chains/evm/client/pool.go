package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/chains"
)

// Pool asks the nodes of a list: the first one in order. A node that fails is left alone for a growing time, and the next is
// asked. A list of one has nobody else, so its node is asked whatever it answers. A Pool is safe for use by many goroutines.
type Pool struct {
	*list
	timeout time.Duration // for one HTTP request
}

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

// list is shared by the copies of a pool.
type list struct {
	sync.Mutex
	Settings
	nodes  []*node
	best   seen
	agreed chains.Mark // the block that a node must have to be asked again; none while the hash is empty
}

// NewPool makes a pool of the nodes at some addresses. No node is asked.
func NewPool(addresses []string, s Settings) *Pool {
	p := &Pool{list: &list{Settings: s}, timeout: s.Timeout}
	p.Replace(addresses)
	return p
}

// Replace has another list of nodes asked from now on. A node in both lists keeps its state.
func (p *Pool) Replace(addresses []string) {
	p.Lock()
	defer p.Unlock()
	former := p.nodes
	p.nodes = nil
	for i, address := range addresses {
		at := slices.IndexFunc(former, func(n *node) bool { return n.client.url == address })
		n := &node{}
		if at >= 0 {
			n = former[at]
		} else {
			n.client = New(address, p.Timeout, p.Settings.Batch)
			n.client.Budget(p.PerSecond)
			n.client.of, n.list = n, p.list
		}
		n.number = i + 1
		p.nodes = append(p.nodes, n)
	}
	for _, n := range former {
		if !slices.Contains(p.nodes, n) {
			n.client.Close()
		}
	}
	p.agreed = chains.Mark{}
}

// Within returns the same pool with another timeout.
func (p *Pool) Within(timeout time.Duration) *Pool { return &Pool{list: p.list, timeout: timeout} }

// Close drops the idle connections.
func (p *Pool) Close() {
	for _, n := range p.all() {
		n.client.Close()
	}
}

// Requests returns how many HTTP requests were sent to the nodes of the list.
func (p *Pool) Requests() (sum int64) {
	for _, n := range p.all() {
		sum += n.client.Requests()
	}
	return sum
}

// Size returns how many nodes the list has.
func (p *Pool) Size() int { return len(p.all()) }

func (p *Pool) all() []*node {
	p.Lock()
	defer p.Unlock()
	return slices.Clone(p.nodes)
}

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
	err := p.Use(ctx, func(node *Client) error {
		answered = false
		if err := node.Each(ctx, questions...); err != nil {
			return err
		}
		answered = true
		for _, q := range questions {
			q.Err = node.sign(q.Err)
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

// Use has f ask the first node in order, and the next if that one fails. F asks one node for all that must be of one view. If no
// node in order is left, one that is left alone is asked nevertheless. The error is the first node's; it is Wrong only if all are.
func (p *Pool) Use(ctx context.Context, f func(node *Client) error) error {
	var first error
	asked := map[*node]bool{}
	for anyway := true; ; {
		t := p.next(asked)
		if t.node == nil || t.rests && !anyway {
			break
		}
		asked[t.node] = true
		err := p.try(ctx, t, f)
		if err == nil {
			return nil
		}
		if first == nil || p.wrong(first) && !p.wrong(err) {
			first = err
		}
		leave, next := faultOf(ctx, err)
		if !next {
			return first
		}
		anyway = anyway && leave && !t.rests
	}
	if first == nil {
		first = &Error{Class: Down, Text: "no node is configured", ours: true}
	}
	return first
}

func (l *list) wrong(err error) bool { return l.Wrong != nil && l.Wrong(err) }

// Others has f ask the other nodes in order, one by one, until it has enough. Nodes left alone are not asked.
func (p *Pool) Others(ctx context.Context, than *Client, f func(node *Client) (enough bool, err error)) {
	asked := map[*node]bool{than.of: true}
	for t := p.next(asked); t.node != nil && !t.rests; t = p.next(asked) {
		asked[t.node] = true
		enough := false
		err := p.try(ctx, t, func(node *Client) (err error) { enough, err = f(node); return err })
		if err == nil && enough {
			return
		}
	}
}

// try has f ask a node, and leaves the node alone if it fails. A busy node is asked again only if no other is in order.
func (p *Pool) try(ctx context.Context, t turn, f func(node *Client) error) error {
	c := t.node.client.Within(p.timeout)
	c.hasty = !t.last
	began := time.Now()
	err := p.admit(ctx, t, c)
	if err == nil {
		err = f(c)
	}
	if leave, _ := faultOf(ctx, err); leave || err != nil && waitedFor(ctx, began) {
		p.leave(t.node, err)
	}
	return c.sign(err)
}

// waitedFor reports whether a caller's time ended while a node was silent for long enough to be called away.
func waitedFor(ctx context.Context, began time.Time) bool {
	return errors.Is(ctx.Err(), context.DeadlineExceeded) && time.Since(began) > glance
}

// sign writes the number of the node into an error, where the list has several.
func (c *Client) sign(err error) error {
	if err == nil || c.of == nil || c.of.alone() {
		return err
	}
	var e *Error
	if errors.As(err, &e) {
		e.Node = c.of.place()
		return err
	}
	return fmt.Errorf("node %d: %w", c.of.place(), err)
}
