package nodes

import (
	"context"
	"fmt"
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

// ErrBehind says that a node lacks blocks of another. ErrContrary says that it has others than two nodes agreed upon.
var (
	ErrBehind   = fmt.Errorf("%w: it is behind another node", chains.ErrDown)
	ErrContrary = fmt.Errorf("%w: it has other blocks than two nodes agreed upon", chains.ErrDown)
)

// place is a place in the list with the state of its node. All but list, address and client is guarded by the lock of the list.
type place[C Client[C]] struct {
	list     *list[C]
	address  string
	client   C
	number   int // from 1
	verified bool
	wrong    bool // Verify has condemned it
	failures int64

	left   bool // it is not asked, but for a try when its rest is over
	trying bool // somebody makes this try
	until  time.Time
	times  int       // it was left so often in a row
	back   time.Time // since when it is in order again
}

func (n *place[C]) alone() bool {
	n.list.Lock()
	defer n.list.Unlock()
	return len(n.list.nodes) < 2
}

func (n *place[C]) at() int {
	n.list.Lock()
	defer n.list.Unlock()
	return n.number
}

// turn is a node's turn to be asked.
type turn[C Client[C]] struct {
	node  *place[C]
	tried bool // it was left alone, and is looked at first
	rests bool // it is left alone, and no other is in order
	last  bool // no other is in order after it
}

// next returns the turn after those asked already: the first node in order, or the one with the shortest rest left.
func (l *list[C]) next(asked map[*place[C]]bool) (t turn[C]) {
	l.Lock()
	defer l.Unlock()
	now := time.Now()
	var soonest *place[C]
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
func (l *list[C]) admit(ctx context.Context, t turn[C], c C) error {
	n := t.node
	l.Lock()
	verified := n.verified
	l.Unlock()
	var err error
	if !verified && l.Verify != nil {
		err = l.Verify(ctx, c)
	}
	if err == nil && t.tried {
		err = l.look(ctx, c.Turn(min(l.Timeout, glance), !t.last))
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
func (l *list[C]) look(ctx context.Context, c C) error {
	l.Lock()
	agreed := l.agreed
	l.Unlock()
	var heights []int64
	if agreed.Hash != "" {
		heights = []int64{agreed.Height}
	}
	v, err := c.Best(ctx, heights...)
	if err != nil {
		return err
	}
	switch hash := v.Hashes[agreed.Height]; {
	case l.saw(v.Best.Height, v.Time), agreed.Hash != "" && hash == "":
		return ErrBehind
	case agreed.Hash != "" && hash != agreed.Hash:
		return ErrContrary
	}
	return nil
}

// leave leaves a node alone for a while. A node without others is never left.
func (l *list[C]) leave(n *place[C], why error) {
	fault := l.Fault(why)
	l.Lock()
	defer l.Unlock()
	n.failures++
	n.verified = n.verified && !fault.Silent
	now := time.Now()
	if len(l.nodes) < 2 || n.left && now.Before(n.until) {
		return
	}
	if !n.left && now.Sub(n.back) > calm {
		n.times = 0
	}
	rest := max(min(firstRest<<min(n.times, 16), longestRest), fault.Rest)
	n.times++
	n.until = now.Add(rest)
	if !n.left {
		l.Log.WithError(why).WithField("node", n.number).WithField("for", rest.String()).Warn("a node is left alone, the next one is asked")
	}
	n.left, n.wrong = true, l.wrong(why)
}
