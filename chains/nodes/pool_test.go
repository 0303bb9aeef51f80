package nodes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/chains"
)

// TestTheFirstNodeInOrderIsAsked: if it fails, the same question goes to the next at once, and the first is asked again after a while. The
// log names nodes by number.
//
// Covers operator §Settings: Of several nodes the first one in order is asked
func TestTheFirstNodeInOrderIsAsked(t *testing.T) {
	t.Parallel()
	all := fakes(2)
	first, second := all["secret-1"], all["secret-2"]
	p, said := pooled(t, all)
	must(t, p.question(t))
	first.set(func(f *fake) { f.fails = errAway })
	for range 3 {
		must(t, p.question(t))
	}
	if first.Requests() != 2 || second.Requests() != 3 || used(p) != 2 {
		t.Errorf("%d and %d questions, node %d is in use; want the failed node to be left alone", first.Requests(), second.Requests(), used(p))
	}
	first.set(func(f *fake) { f.fails = nil })
	again(t, p, 1)
	for _, line := range said.AllEntries() {
		if text, _ := line.String(); strings.Contains(text, "secret") || line.Data["node"] != 1 {
			t.Error(text)
		}
	}
}

// TestAnErrorNamesItsNode: by its place, once, and only where the list has several. It stays what it is.
func TestAnErrorNamesItsNode(t *testing.T) {
	t.Parallel()
	all := fakes(2)
	p, _ := pooled(t, all)
	err := p.Use(t.Context(), func(node Node[*fake]) error { return fmt.Errorf("twice: %w", node.Named(errOdd)) })
	if err == nil || err.Error() != "twice: node 1: "+errOdd.Error() || !errors.Is(err, errOdd) {
		t.Errorf("%v", err)
	}
	p.Replace(listed(1))
	if err := p.Use(t.Context(), func(Node[*fake]) error { return errOdd }); err == nil || err.Error() != errOdd.Error() {
		t.Errorf("%v, want no place in a list of one", err)
	}
	p.Replace(nil)
	if err := p.Ready(t.Context()); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v without a node", err)
	}
}

// TestRestsGrow: each failure in a row doubles the rest, up to a minute. A node in order for a while begins anew.
func TestRestsGrow(t *testing.T) {
	t.Parallel()
	p, said := pooled(t, fakes(2))
	n := p.all()[0]
	for _, seconds := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
		p.leave(n, errors.New("away"))
		if rest := time.Until(n.until).Round(time.Second); rest.Seconds() != float64(seconds) {
			t.Errorf("%v, want %d s", rest, seconds)
		}
		n.until = time.Now()
	}
	if lines := len(said.AllEntries()); lines != 1 {
		t.Errorf("%d lines for one node that stays away, want 1", lines)
	}
	n.left, n.back = false, time.Now().Add(-calm-time.Second)
	p.leave(n, errors.New("away"))
	if rest := time.Until(n.until).Round(time.Second); rest != time.Second {
		t.Errorf("%v after a time in order, want 1s", rest)
	}
}

// TestANodeBehindIsLeft: a node with an older best block than another is asked for nothing until it has caught up. A block from the
// future makes no other node late.
//
// Covers operator §Settings: A node is behind
func TestANodeBehindIsLeft(t *testing.T) {
	t.Parallel()
	all := fakes(2)
	first, second := all["secret-1"], all["secret-2"]
	p, _ := pooled(t, all)
	one, two := p.all()[0], p.all()[1]
	now := time.Now()
	for _, c := range []struct {
		blocks int64
		age    time.Duration
		behind bool
	}{{3, time.Minute, false}, {4, lagTime - time.Second, false}, {4, lagTime + 2*time.Second, true}} {
		p.best, one.left = seen{}, false
		p.Saw(Node[*fake]{second, two}, 100, now)
		p.Saw(Node[*fake]{first, one}, 100-c.blocks, now.Add(-c.age))
		if one.left != c.behind || two.left {
			t.Errorf("%d blocks, %v: left alone %v and %v", c.blocks, c.age, one.left, two.left)
		}
	}
	first.set(func(f *fake) { f.height, f.made = 96, now.Add(-time.Minute) })
	one.until = time.Now()
	must(t, p.question(t))
	if !one.left || second.Requests() != 1 {
		t.Errorf("it was asked although it is still behind: %d questions to the other", second.Requests())
	}
	first.set(func(f *fake) { f.height, f.made = 100, now })
	one.until = time.Now()
	must(t, p.question(t))
	if one.left || second.Requests() != 1 {
		t.Errorf("it has caught up, and is left alone: %d questions to the other", second.Requests())
	}
	p.best = seen{}
	p.Saw(Node[*fake]{first, one}, 1<<40, now.Add(time.Hour))
	p.Saw(Node[*fake]{second, two}, 100, now.Add(-time.Second))
	if two.left {
		t.Error("a block from the future makes an honest node late")
	}
}

// TestAWrongNodeIsNeverUsed: it is named, and the others go on. Its error is the pool's only if all are wrong.
//
// Covers operator §Settings: A node of another chain
func TestAWrongNodeIsNeverUsed(t *testing.T) {
	t.Parallel()
	errWrong := fmt.Errorf("another chain: %w", chains.ErrDown)
	all := fakes(2)
	first, second := all["secret-1"], all["secret-2"]
	wrong := map[*state]bool{first.state: true}
	p, said := pooled(t, all, func(s *Settings[*fake]) {
		s.Wrong = func(err error) bool { return errors.Is(err, errWrong) }
		s.Verify = func(_ context.Context, node *fake) error {
			if wrong[node.state] {
				return errWrong
			}
			return nil
		}
	})
	must(t, p.question(t))
	if line := said.LastEntry(); first.Requests() != 0 || line == nil || line.Level != logrus.WarnLevel || line.Data["node"] != 1 {
		t.Errorf("%d questions to a wrong node, %v", first.Requests(), line)
	}
	second.set(func(f *fake) { f.fails = errAway })
	if err := p.question(t); err == nil || errors.Is(err, errWrong) || first.Requests() != 0 {
		t.Errorf("%v, want that of the node which is away", err)
	}
	wrong[second.state] = true
	p.Replace(nil)
	p.Replace(listed(2))
	if err := p.question(t); !errors.Is(err, errWrong) {
		t.Errorf("%v, want that all are wrong", err)
	}
}

// TestASilentNodeIsVerifiedAnew: another one may stand there when it answers again. An answer of the node itself leaves it verified.
func TestASilentNodeIsVerifiedAnew(t *testing.T) {
	t.Parallel()
	all, verified := fakes(1), 0
	p, _ := pooled(t, all, func(s *Settings[*fake]) {
		s.Verify = func(context.Context, *fake) error { verified++; return nil }
	})
	for _, fails := range []error{nil, errOdd, nil, errAway, nil, nil} {
		all["secret-1"].set(func(f *fake) { f.fails = fails })
		if err := p.question(t); !errors.Is(err, fails) {
			t.Fatal(err)
		}
	}
	if verified != 2 {
		t.Errorf("verified %d times, want once more after the node was silent", verified)
	}
}

// TestACallersTimeIsOver: a node is left if it was silent for long by then, and not for what a caller has no time for.
func TestACallersTimeIsOver(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	for fails, left := range map[error]bool{errSlow: true, errAway: false, errOdd: false} {
		p, _ := pooled(t, fakes(2))
		asked := 0
		err := p.Use(over, func(Node[*fake]) error { asked++; return fails })
		if !errors.Is(err, fails) || asked != 1 || p.Nodes()[0].Left != left {
			t.Errorf("%v: %d nodes were asked, %+v", err, asked, p.Nodes())
		}
	}
}

// TestAnotherListOfNodes: it holds from the next question on, and a node in both lists keeps its state.
func TestAnotherListOfNodes(t *testing.T) {
	t.Parallel()
	all := fakes(3)
	first, second, third := all["secret-1"], all["secret-2"], all["secret-3"]
	p, _ := pooled(t, all)
	p.Replace(listed(2))
	first.set(func(f *fake) { f.fails = errAway })
	must(t, p.question(t))
	p.Replace([]string{"secret-3", "secret-1"})
	must(t, p.question(t))
	if third.Requests() != 1 || second.Requests() != 1 || used(p) != 1 || p.Size() != 2 {
		t.Errorf("%d and %d questions, node %d of %d is in use", third.Requests(), second.Requests(), used(p), p.Size())
	}
	if nodes := p.Nodes(); nodes[1].Failures != 1 {
		t.Errorf("%+v: the node in both lists has lost its state", nodes)
	}
}

// TestHastyWhileOthersAreInOrder: the last node in order has patience, since nobody else would answer.
func TestHastyWhileOthersAreInOrder(t *testing.T) {
	t.Parallel()
	p, _ := pooled(t, fakes(2))
	var hasty []bool
	err := p.Within(time.Second).Use(t.Context(), func(node Node[*fake]) error {
		hasty = append(hasty, node.Client.hasty)
		if node.Client.timeout != time.Second {
			t.Errorf("a timeout of %v", node.Client.timeout)
		}
		return errOdd
	})
	if !errors.Is(err, errOdd) || len(hasty) != 2 || !hasty[0] || hasty[1] {
		t.Errorf("%v, %v", hasty, err)
	}
}
