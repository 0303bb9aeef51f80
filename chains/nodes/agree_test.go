package nodes

import (
	"strings"
	"testing"
	"time"

	"causeway/chains"
)

// head is the head of the node in use, credited at once and final five blocks later, lowered by what a second node has.
func (p *Pool[C]) head(t *testing.T) (head chains.Head) {
	t.Helper()
	must(t, p.Use(t.Context(), func(node Node[C]) error {
		v, err := node.Client.Best(t.Context())
		if err != nil {
			return err
		}
		height := v.Best.Height
		head = chains.Head{Height: height, Credit: height, Final: height - 4, Time: v.Time, Marks: []chains.Mark{v.Best}}
		return p.Agree(t.Context(), node, &head, v.Best, height, height)
	}))
	return head
}

// grow adds a block to each chain.
func grow(all map[string]*fake) {
	for _, f := range all {
		f.set(func(f *fake) { f.height++ })
	}
}

// TestTheSecondNodeLowersTheHead: to its best block where it is some blocks late, and to the last common one where it is on a fork. While
// it is away, a dispute holds.
//
// Covers operator §Settings: Before anything is credited or final
// Covers operator §Settings: If two nodes contradict each other
func TestTheSecondNodeLowersTheHead(t *testing.T) {
	t.Parallel()
	all := fakes(2)
	second := all["secret-2"]
	p, _ := pooled(t, all)
	if h := p.head(t); h.Credit != 100 || h.Final != 96 || h.Agreed == nil || *h.Agreed != 100 {
		t.Errorf("%+v, want all of it", h)
	}
	all["secret-1"].set(func(f *fake) { f.height = 102 })
	if h := p.head(t); h.Credit != 100 || h.Final != 98 || h.Dispute != "" {
		t.Errorf("%+v, want the best block of the second node", h)
	}
	second.set(func(f *fake) { f.height, f.fork = 102, 97 })
	grow(all)
	h := p.head(t)
	if h.Credit != 96 || h.Final != 96 || !strings.HasPrefix(h.Dispute, "nodes disagree: block 103 is 103 for node 1, and 103 of 2 for node 2") {
		t.Errorf("%+v, want a dispute down to block 96", h)
	}
	second.set(func(f *fake) { f.fails = errAway })
	grow(all)
	if h = p.head(t); h.Credit != 96 || h.Dispute == "" || !strings.HasSuffix(h.Rule, "; no second node answers") {
		t.Errorf("%+v, want the dispute to hold", h)
	}
	p.Replace(listed(1))
	if h = p.head(t); h.Credit != 104 || h.Dispute != "" || h.Agreed != nil {
		t.Errorf("%+v, want the word of one node", h)
	}
}

// TestAnOldForkIsNoAnswerOfAFreshNode: a node left alone must have the block that two agreed upon, else it stays alone.
func TestAnOldForkIsNoAnswerOfAFreshNode(t *testing.T) {
	t.Parallel()
	all := fakes(2)
	p, _ := pooled(t, all)
	p.head(t)
	one := p.all()[0]
	p.leave(one, errAway)
	one.until = time.Now()
	all["secret-1"].set(func(f *fake) { f.fork = 90 })
	must(t, p.question(t))
	if !one.left || used(p) != 2 {
		t.Errorf("node %d is in use, want the one that has the block", used(p))
	}
	one.until = time.Now()
	all["secret-1"].set(func(f *fake) { f.fork, f.height = 0, 90 })
	must(t, p.question(t))
	if !one.left {
		t.Error("a node without the block is asked")
	}
	one.until = time.Now()
	all["secret-1"].set(func(f *fake) { f.height = 100 })
	must(t, p.question(t))
	if one.left || used(p) != 1 {
		t.Errorf("node %d is in use, want the first again", used(p))
	}
}
