package tronnode

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// trouble is what a test has ordered to go wrong.
type trouble struct {
	refusals []code  // of the next broadcasts
	swallow  int     // broadcasts answered with success, and forgotten
	stalled  *block  // the solid block, while no newer one becomes solid
	held     bool    // no waiting transaction gets into a block
	orders   int     // transactions of the fake's own, for their expirations
	foreign  []mined // of the next block: shown and not done
}

// Refuse answers the next broadcasts with a code of java-tron's, whatever is broadcast: SERVER_BUSY, TAPOS_ERROR and so on.
func (n *Node) Refuse(answer string, times int) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := injected[code(answer)]; !ok {
		return fmt.Errorf("%q is no refusal of a broadcast", answer)
	}
	for range times {
		n.refusals = append(n.refusals, code(answer))
	}
	return nil
}

// Swallow answers the next broadcasts with success, and forgets them.
func (n *Node) Swallow(times int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.swallow = times
}

// Mute takes the next broadcasts as usual, and answers each with an error of the server instead.
func (n *Node) Mute(times int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.mute = times
}

// Hold keeps waiting transactions out of blocks, or lets them in again. Those that expire meanwhile are dropped.
func (n *Node) Hold(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held = on
}

// Drop forgets the waiting transactions.
func (n *Node) Drop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.revert(0)
	n.waiting, n.seen = nil, map[[32]byte]bool{}
}

// Down answers every question with an error of the server, or ends that.
func (n *Node) Down(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = on
}

// Busy answers the next questions as java-tron does when it has too many: with success of HTTP, and an error inside.
func (n *Node) Busy(times int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.busy = times
}

// Throttle answers the next questions as a gateway does when it has too many of one client: with 429.
func (n *Node) Throttle(times int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.full = times
}

// Stall lets no newer block become solid, as when too few witnesses of Tron make blocks, or ends that.
func (n *Node) Stall(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	solid := n.solid()
	if n.stalled = nil; on {
		n.stalled = solid
	}
}

// SetFactor changes the energy_factor of USDT, as its use does on Tron.
func (n *Node) SetFactor(factor int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for address, deployed := range n.contracts {
		if Text(address) == USDT {
			deployed.factor = factor
		}
	}
}

// SetFees changes the network's prices, as a vote does on Tron.
func (n *Node) SetFees(fees Fees) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fees = fees
}

// Delay answers every question after some time.
func (n *Node) Delay(by time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.late = by
}

// troubled reports whether the question has been answered with an error.
func (n *Node) troubled(w http.ResponseWriter, r *http.Request, path string) bool {
	n.mu.Lock()
	down, late := n.down, n.late
	busy, full := count(&n.busy), count(&n.full)
	mute := strings.HasPrefix(path, "wallet/broadcast") && count(&n.mute)
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
		http.Error(w, "Too Many Requests", http.StatusTooManyRequests)
	case busy:
		write(w, javaError("java.lang.IllegalAccessException", "lack of computing resources"))
	case mute:
		n.answerNobody(r, path)
		http.Error(w, "Bad Gateway", http.StatusBadGateway)
	}
	return down || full || busy || mute
}

// count takes one of some times that are left.
func count(left *int) bool {
	if *left <= 0 {
		return false
	}
	*left--
	return true
}

// answerNobody takes a broadcast whose answer is lost.
func (n *Node) answerNobody(r *http.Request, path string) {
	if q, err := readQuestion(r); err == nil {
		n.mu.Lock()
		full[strings.TrimPrefix(path, "wallet/")](&n.chain, q)
		n.mu.Unlock()
	}
}
