package nodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"causeway/chains"
)

// Node is a node at its turn to be asked.
type Node[C Client[C]] struct {
	Client C
	place  *place[C]
}

// Use has f ask the first node in order, and the next if that one fails. F asks one node for all that must be of one view. If no
// node in order is left, one that is left alone is asked nevertheless. The error is the first node's; it is Wrong only if all are.
func (p *Pool[C]) Use(ctx context.Context, f func(node Node[C]) error) error {
	var first error
	asked := map[*place[C]]bool{}
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
		fault := p.faultOf(ctx, err)
		if !fault.Next {
			return first
		}
		anyway = anyway && fault.Leave && !t.rests
	}
	if first == nil {
		first = fmt.Errorf("%w: no node is configured", chains.ErrDown)
	}
	return first
}

// Ready returns an error if no node can be asked.
func (p *Pool[C]) Ready(ctx context.Context) error {
	return p.Use(ctx, func(Node[C]) error { return nil })
}

// Others has f ask the other nodes in order, one by one, until it has enough. Nodes left alone are not asked.
func (p *Pool[C]) Others(ctx context.Context, than Node[C], f func(node Node[C]) (enough bool, err error)) {
	asked := map[*place[C]]bool{than.place: true}
	for t := p.next(asked); t.node != nil && !t.rests; t = p.next(asked) {
		asked[t.node] = true
		enough := false
		err := p.try(ctx, t, func(node Node[C]) (err error) { enough, err = f(node); return err })
		if err == nil && enough {
			return
		}
	}
}

// try has f ask a node, and leaves the node alone if it fails. A busy node is asked again only if no other is in order.
func (p *Pool[C]) try(ctx context.Context, t turn[C], f func(node Node[C]) error) error {
	node := Node[C]{t.node.client.Turn(p.timeout, !t.last), t.node}
	began := time.Now()
	err := p.admit(ctx, t, node.Client.Turn(min(p.timeout, p.Timeout), !t.last))
	if err == nil {
		err = f(node)
	}
	if p.faultOf(ctx, err).Leave || err != nil && p.wasSilent(ctx, err, time.Since(began)) {
		p.leave(t.node, err)
	}
	return node.Named(err)
}

// wasSilent reports whether a caller's time ended while a node was silent for long enough to be called away. A turn of many answers is
// no silence.
func (l *list[C]) wasSilent(ctx context.Context, err error, turn time.Duration) bool {
	fault := l.Fault(err)
	return errors.Is(ctx.Err(), context.DeadlineExceeded) && fault.Leave && cmp.Or(fault.Waited, turn) > glance
}

// faultOf is Fault, unless the caller has ended the question.
func (l *list[C]) faultOf(ctx context.Context, err error) Fault {
	if err == nil || ctx.Err() != nil {
		return Fault{}
	}
	return l.Fault(err)
}

func (l *list[C]) wrong(err error) bool { return l.Wrong != nil && l.Wrong(err) }

// Leave leaves a node alone, as after an answer of it that its caller has found to be impossible.
func (p *Pool[C]) Leave(node Node[C], why error) { p.leave(node.place, why) }

// Blame leaves the node in use alone, for an answer that its caller has found to be impossible.
func (p *Pool[C]) Blame(why error) {
	nodes := p.all()
	if i := slices.IndexFunc(p.Nodes(), func(n chains.Node) bool { return n.Used }); i >= 0 && i < len(nodes) {
		p.leave(nodes[i], why)
	}
}

// numbered is an error of a node, with its place in the list.
type numbered struct {
	place int
	err   error
}

// Error implements error.
func (e *numbered) Error() string { return fmt.Sprintf("node %d: %s", e.place, e.err) }

// Unwrap returns the error itself.
func (e *numbered) Unwrap() error { return e.err }

// Named writes the place of the node into an error, where the list has several.
func (n Node[C]) Named(err error) error {
	var known *numbered
	if err == nil || errors.As(err, &known) || n.place.alone() {
		return err
	}
	return &numbered{n.place.at(), err}
}
