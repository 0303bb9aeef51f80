package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"causeway/chains"
)

// A node that fails is left alone for firstRest, and twice as long each further time, up to longestRest. A node in order for calm
// begins anew.
const (
	firstRest   = time.Second
	longestRest = time.Minute
	calm        = 2 * time.Minute
)

// glance is how long a node may take to answer before it is asked again in earnest.
const glance = 2 * time.Second

// A node is behind when its best block is lower than another's by more than lagBlocks, and older by more than lagTime.
const (
	lagBlocks = 3
	lagTime   = 30 * time.Second
	lagFor    = time.Minute // an answer about the best block is compared with for so long
)

// ErrBehind says that a node lacks blocks of another. ErrContrary says that it has others than two nodes agreed upon.
var (
	ErrBehind   = fmt.Errorf("%w: it is behind another node", chains.ErrDown)
	ErrContrary = fmt.Errorf("%w: it has other blocks than two nodes agreed upon", chains.ErrDown)
)

// node is a place in the list with its state. All but client is guarded by the lock of the list.
type node struct {
	list     *list
	client   *Client
	number   int // its place, from 1
	verified bool
	wrong    bool // Verify has condemned it
	failures int64

	left   bool // it is not asked, but for a try when its rest is over
	trying bool // somebody makes this try
	until  time.Time
	times  int       // it was left so often in a row
	back   time.Time // since when it is in order again
}

// seen is the best block told by a node.
type seen struct {
	height   int64
	time, at time.Time // of the block, and of the answer
}

func (n *node) alone() bool {
	n.list.Lock()
	defer n.list.Unlock()
	return len(n.list.nodes) < 2
}

func (n *node) place() int {
	n.list.Lock()
	defer n.list.Unlock()
	return n.number
}

// turn is a node's turn to be asked.
type turn struct {
	node  *node
	tried bool // it was left alone, and is looked at first
	rests bool // it is left alone, and no other is in order
	last  bool // no other is in order after it
}

// next returns the turn after those asked already: the first node in order, or the one with the shortest rest left.
func (l *list) next(asked map[*node]bool) (t turn) {
	l.Lock()
	defer l.Unlock()
	now := time.Now()
	var soonest *node
	t.last = true
	for _, n := range l.nodes {
		switch rests := n.left && (n.trying || now.Before(n.until)); {
		case asked[n]:
		case !rests && t.node == nil:
			t.node = n
		case !rests:
			t.last = false
		case soonest == nil || soonest.wrong && !n.wrong || soonest.wrong == n.wrong && n.until.Before(soonest.until):
			soonest = n
		}
	}
	switch {
	case t.node == nil:
		t.node, t.rests = soonest, true
	case t.node.left:
		t.tried, t.node.trying = true, true
	}
	return t
}

// admit verifies a node before its first answer, and looks at one left alone before it is asked in earnest.
func (l *list) admit(ctx context.Context, t turn, c *Client) error {
	n := t.node
	l.Lock()
	verified := n.verified
	l.Unlock()
	var err error
	if !verified && l.Verify != nil {
		err = l.Verify(ctx, c)
	}
	if err == nil && t.tried {
		err = l.look(ctx, c)
	}
	l.Lock()
	defer l.Unlock()
	if err == nil {
		n.verified, n.wrong = true, false
	}
	if t.tried {
		n.trying = false
	}
	if err == nil && t.tried {
		n.left, n.back = false, time.Now()
		l.Log.WithField("node", n.number).Info("the node is asked again")
	}
	return err
}

// look asks a node for its best block and for the block that two nodes agreed upon.
func (l *list) look(ctx context.Context, c *Client) error {
	var latest, at *Header
	questions := []*Question{Ask(&latest, "eth_getBlockByNumber", "latest", false)}
	l.Lock()
	agreed := l.agreed
	l.Unlock()
	if agreed.Hash != "" {
		questions = append(questions, Ask(&at, "eth_getBlockByNumber", fmt.Sprintf("%#x", agreed.Height), false))
	}
	if err := c.Within(min(l.Timeout, glance)).Batch(ctx, questions...); err != nil {
		return err
	}
	height, made, ok := latest.Best()
	switch {
	case !ok:
		return fmt.Errorf("%w: a latest block without its fields", chains.ErrDown)
	case l.saw(height, made), agreed.Hash != "" && at == nil:
		return ErrBehind
	case agreed.Hash != "" && (!at.Complete(agreed.Height) || at.Hash.Hex() != agreed.Hash):
		return ErrContrary
	}
	return nil
}

// leave leaves a node alone for a while. A node without others is never left.
func (l *list) leave(n *node, why error) {
	l.Lock()
	defer l.Unlock()
	n.failures++
	now := time.Now()
	if len(l.nodes) < 2 || n.left && now.Before(n.until) {
		return
	}
	if !n.left && now.Sub(n.back) > calm {
		n.times = 0
	}
	rest := max(min(firstRest<<min(n.times, 16), longestRest), askedFor(why))
	n.times++
	n.until = now.Add(rest)
	if !n.left {
		l.Log.WithError(why).WithField("node", n.number).WithField("for", rest.String()).Warn("a node is left alone, the next one is asked")
	}
	n.left, n.wrong = true, l.wrong(why)
}

// askedFor is how long a node has asked to be left alone, as far as it did.
func askedFor(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.after
	}
	return 0
}

// saw notes the best block told by a node, and reports whether the node is behind another. A block from the future counts as one of
// this moment: a false time must not make all others late.
func (l *list) saw(height int64, at time.Time) (behind bool) {
	l.Lock()
	defer l.Unlock()
	now := time.Now()
	if at.After(now) {
		at = now
	}
	if l.best.at.Before(now.Add(-lagFor)) || at.After(l.best.time) || at.Equal(l.best.time) && height > l.best.height {
		l.best = seen{height, at, now}
		return false
	}
	return l.best.height-height > lagBlocks && l.best.time.Sub(at) > lagTime
}

// Saw notes the best block told by a node, and reports whether the node is behind another. If so, it is left alone from the next
// question on.
func (p *Pool) Saw(node *Client, height int64, at time.Time) (behind bool) {
	if behind = p.saw(height, at); behind {
		p.leave(node.of, ErrBehind)
	}
	return behind
}

// Leave leaves a node alone for its contradiction to the others.
func (p *Pool) Leave(node *Client, why error) { p.leave(node.of, why) }

// Agreed notes a final block that two nodes have. A node left alone must have it too, to be asked again.
func (p *Pool) Agreed(block chains.Mark) {
	p.Lock()
	defer p.Unlock()
	if block.Height >= p.agreed.Height {
		p.agreed = block
	}
}

// Blame leaves the node in use alone, for an answer that its caller has found to be impossible.
func (p *Pool) Blame(why error) {
	nodes := p.all()
	if i := slices.IndexFunc(p.Nodes(), func(n chains.Node) bool { return n.Used }); i >= 0 && i < len(nodes) {
		p.leave(nodes[i], why)
	}
}

// Place returns the number of a node in the list, from 1.
func (p *Pool) Place(node *Client) int { return node.of.place() }

// faultOf says what an error means for its node: whether the node is left alone, and whether the next one is asked the same. An
// answer out of time to a question for much says nothing of the node: its caller asks for less.
func faultOf(ctx context.Context, err error) (leave, next bool) {
	var e *Error
	switch {
	case err == nil || ctx.Err() != nil:
		return false, false
	case !errors.As(err, &e):
		down := errors.Is(err, chains.ErrDown)
		return down, down
	case e.Class == Busy:
		return true, true
	case e.Class == Late:
		return !heavy(e.Method), !heavy(e.Method)
	case e.Class == Down:
		return !e.ours && (!e.Answer || keptOut(e.Text)), true
	default:
		return false, false
	}
}

// keptOut reports whether a node's words mean that it answers nothing at all: it is not synced, or does not accept its user.
func keptOut(text string) bool {
	return says(strings.ToLower(text), "sync", "authent", "unauthori", "api key", "apikey", "project id", "forbidden", "denied", "quota", "suspended")
}

// heavy reports whether the answer of a method may be large.
func heavy(method string) bool {
	return strings.HasPrefix(method, "debug_trace") || method == "eth_getBlockReceipts" || method == "eth_getLogs"
}

// Nodes returns the state of each node in the order of the list.
func (p *Pool) Nodes() (out []chains.Node) {
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
