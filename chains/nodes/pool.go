// Package nodes asks the nodes of one network, whatever its family. A node that is away, behind, of another chain or limiting is left for
// the next, and asked again when it is in order. Before anything is credited, two nodes are compared (docs/decisions/0039-several-nodes.md).
package nodes

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/chains"
)

// Client asks one node in the words of its family. It is safe for use by many goroutines.
type Client[C any] interface {
	// Turn returns the same client for one turn, with a timeout for one request. A hasty client does not ask a busy node again, since
	// others are in order.
	Turn(timeout time.Duration, hasty bool) C
	// Best returns the best block, and with it the blocks at some heights.
	Best(ctx context.Context, heights ...int64) (View, error)
	// Hashes returns the hashes of the blocks at some heights. A height without a block is missing.
	Hashes(ctx context.Context, heights ...int64) (map[int64]string, error)
	// Requests returns how many requests were sent, those of Turn too.
	Requests() int64
	// Close drops the idle connections.
	Close()
}

// Pool asks the nodes of a list: the first one in order. A node that fails is left alone for a growing time, and the next is
// asked. A list of one has nobody else, so its node is asked whatever it answers. A Pool is safe for use by many goroutines.
type Pool[C Client[C]] struct {
	*list[C]
	timeout time.Duration // for one request
}

// Settings are what all nodes of a pool have in common.
type Settings[C Client[C]] struct {
	Timeout time.Duration // for one request
	// Open makes the client of an address. No node is asked.
	Open func(address string) C
	// Verify checks a node before any other answer of it is believed; nil for no check. Wrong reports whether an error of Verify
	// condemns the node.
	Verify func(ctx context.Context, node C) error
	Wrong  func(err error) bool
	// Fault says what an error means for its node.
	Fault func(err error) Fault
	Log   logrus.FieldLogger
}

// Fault is the meaning of an error for its node.
type Fault struct {
	Leave bool          // the node is left alone
	Next  bool          // the next node is asked the same
	Rest  time.Duration // for how long the node asks to be left alone, 0 where it does not say
	// Silent says that no answer came: another node may stand there when one comes again, so it is verified anew.
	Silent bool
	// Waited is how long the failed request waited for its answer, 0 where the client does not say.
	Waited time.Duration
}

// list is shared by the copies of a pool.
type list[C Client[C]] struct {
	sync.Mutex
	Settings[C]
	nodes     []*place[C]
	best      seen
	agreed    chains.Mark // the block that a node must have to be asked again; none while the hash is empty
	agreement agreement
}

// New makes a pool of the nodes at some addresses. No node is asked.
func New[C Client[C]](addresses []string, s Settings[C]) *Pool[C] {
	p := &Pool[C]{list: &list[C]{Settings: s}, timeout: s.Timeout}
	p.Replace(addresses)
	return p
}

// Replace has another list of nodes asked from the next question on. A node in both lists keeps its state. What the former nodes
// disagreed about is forgotten.
func (p *Pool[C]) Replace(addresses []string) {
	p.Lock()
	defer p.Unlock()
	former := p.nodes
	p.nodes = nil
	for i, address := range addresses {
		n := &place[C]{list: p.list, address: address}
		if at := slices.IndexFunc(former, func(n *place[C]) bool { return n.address == address }); at >= 0 {
			n = former[at]
		} else {
			n.client = p.Open(address)
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
	p.agreement.forget()
}

// Within returns the same pool with another timeout.
func (p *Pool[C]) Within(timeout time.Duration) *Pool[C] {
	return &Pool[C]{list: p.list, timeout: timeout}
}

// Close drops the idle connections.
func (p *Pool[C]) Close() {
	for _, n := range p.all() {
		n.client.Close()
	}
}

// Requests returns how many requests were sent to the nodes of the list.
func (p *Pool[C]) Requests() (sum int64) {
	for _, n := range p.all() {
		sum += n.client.Requests()
	}
	return sum
}

// Size returns how many nodes the list has.
func (p *Pool[C]) Size() int { return len(p.all()) }

// Nodes returns the state of each node in the order of the list.
func (p *Pool[C]) Nodes() (out []chains.Node) {
	p.Lock()
	defer p.Unlock()
	used := false
	for _, n := range p.nodes {
		in := !n.left && !used
		used = used || in
		out = append(out, chains.Node{Requests: n.client.Requests(), Failures: n.failures, Used: in, Left: n.left && time.Now().Before(n.until)})
	}
	return out
}

func (l *list[C]) all() []*place[C] {
	l.Lock()
	defer l.Unlock()
	return slices.Clone(l.nodes)
}
