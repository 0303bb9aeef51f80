package payouts

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"causeway/chains"
)

const (
	// askAiling is how many payouts at once may find out whether a silent node is back.
	askAiling = 2
	// slowNode is how long one payout may wait for a node, and for payouts signed with it, before the node counts as ailing.
	slowNode = 15 * time.Second
)

// nodes remembers the networks with a node that does not answer: payouts there must not hold the workers shared by all networks.
// While a node is ailing a few ask it, and the others fail at once and come again later.
type nodes struct {
	mu sync.Mutex
	of map[string]*node
}

type node struct {
	asking int
	ailing bool
}

// errPanicked stands for the error of a panicked call.
var errPanicked = errors.New("it ended in a panic")

// Ailing reports whether the node of a network counts as not answering.
func (w *Worker) Ailing(network string) bool {
	w.nodes.mu.Lock()
	defer w.nodes.mu.Unlock()
	n := w.nodes.of[network]
	return n != nil && n.ailing
}

// ask calls do, a question to a network's node, or fails with chains.ErrDown without asking.
func (s *nodes) ask(network string, do func() error) error {
	if !s.enter(network) {
		return fmt.Errorf("%s: %w: others are finding out whether it is back", network, chains.ErrDown)
	}
	began, err := time.Now(), errPanicked
	defer func() { s.leave(network, err, time.Since(began)) }()
	err = do()
	return err
}

func (s *nodes) enter(network string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.of[network]
	if n == nil {
		n = &node{}
		if s.of == nil {
			s.of = map[string]*node{}
		}
		s.of[network] = n
	}
	if n.ailing && n.asking >= askAiling {
		return false
	}
	n.asking++
	return true
}

// leave learns from the outcome: only success shows a node is well, since much else fails before it is asked.
func (s *nodes) leave(network string, err error, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.of[network]
	n.asking--
	switch {
	case errors.Is(err, chains.ErrDown) || took > slowNode:
		n.ailing = true
	case err == nil:
		n.ailing = false
	}
}
