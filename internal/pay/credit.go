package pay

import "fmt"

// CreditDepth says how deep the block of a transfer is when the transfer is credited: after so many confirmations, or at a
// block reported safe or finalized by the network's nodes. The network's own rule is the deepest: nothing is credited later.
type CreditDepth int

// The depths without a number of confirmations.
const (
	CreditByRule      CreditDepth = 0  // by the network's own rule
	CreditAtSafe      CreditDepth = -1 // at a safe block
	CreditAtFinalized CreditDepth = -2 // at a finalized block
)

// Confirmations returns how many confirmations a depth comes to, as they are shown: those of the network's rule for a block tag.
func (d CreditDepth) Confirmations(rule int) int {
	if d > 0 {
		return min(int(d), rule)
	}
	return rule
}

// String says a depth in words.
func (d CreditDepth) String() string {
	switch {
	case d > 0:
		return fmt.Sprintf("after %d confirmations", int(d))
	case d == CreditAtSafe:
		return "at a safe block"
	case d == CreditAtFinalized:
		return "at a finalized block"
	default:
		return "by the network's rule"
	}
}
