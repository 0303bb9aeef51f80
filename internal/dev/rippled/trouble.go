package rippled

import (
	"net/http"
	"time"
)

// trouble is what a test has ordered to go wrong.
type trouble struct {
	holding           bool // no waiting transaction gets into a ledger
	down              bool
	late              time.Duration
	mute, full, swall int
	refusals          []string // of the next submits
	lostFrom, lostTo  uint32   // ledgers that the node does not have
	unsynced          bool
}

func (c *chain) lost(index uint32) bool {
	return c.lostTo > 0 && index >= c.lostFrom && index <= c.lostTo
}

// Hold keeps waiting transactions out of ledgers, or lets them in again. Those whose last ledger passes are dropped.
func (n *Node) Hold(on bool) { n.order(func() { n.holding = on }) }

// Drop forgets the waiting transactions.
func (n *Node) Drop() {
	n.order(func() { n.applied, n.queue, n.held = nil, nil, nil; n.reopen() })
}

// Down answers every question with an error of the server, or ends that.
func (n *Node) Down(on bool) { n.order(func() { n.down = on }) }

// Delay answers every question after some time.
func (n *Node) Delay(by time.Duration) { n.order(func() { n.late = by }) }

// Throttle answers the next questions as a server does when it has too many of one client.
func (n *Node) Throttle(times int) { n.order(func() { n.full = times }) }

// Mute takes the next submits as usual, and answers each with an error of the server instead.
func (n *Node) Mute(times int) { n.order(func() { n.mute = times }) }

// Swallow answers the next submits with success, and forgets them.
func (n *Node) Swallow(times int) { n.order(func() { n.swall = times }) }

// Refuse answers the next submits with a code, whatever is submitted.
func (n *Node) Refuse(code string, times int) {
	n.order(func() {
		for range times {
			n.refusals = append(n.refusals, code)
		}
	})
}

// Lose has the node lack ledgers from one to another, as after a time without its peers. Zeros have it know all.
func (n *Node) Lose(from, to int64) {
	n.order(func() { n.lostFrom, n.lostTo = uint32(from), uint32(to) })
}

// Unsync has the node say that it has lost its network, or has found it again.
func (n *Node) Unsync(on bool) { n.order(func() { n.unsynced = on }) }

// Load sets what the open ledger costs, and what the node takes at all, in drops. Zeros are the base fee.
func (n *Node) Load(open, minimum int64) {
	n.order(func() { n.openFee, n.minimum = max(open, n.fee), max(minimum, n.fee); n.reopen() })
}

func (n *Node) order(do func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	do()
}

// troubled reports whether a question has been answered with an error.
func (n *Node) troubled(w http.ResponseWriter, r *http.Request) bool {
	n.mu.Lock()
	down, late, full := n.down, n.late, count(&n.full)
	n.mu.Unlock()
	if late > 0 {
		select {
		case <-time.After(late):
		case <-r.Context().Done():
		}
	}
	switch {
	case down:
		http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
	case full:
		http.Error(w, "Server is overloaded", http.StatusServiceUnavailable)
	}
	return down || full
}

// count takes one of some times that are left.
func count(left *int) bool {
	if *left <= 0 {
		return false
	}
	*left--
	return true
}
