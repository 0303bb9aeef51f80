package follow

import (
	"fmt"
	"time"
)

// passed returns the moment up to which the network is known once the step is written: when the step began, if it then reaches the
// head, asked for later, or the time of a stale head. It is zero while blocks are missing, a node is behind, nodes disagree, or the
// age of the head is unknown.
func (r *reading) passed() time.Time {
	switch {
	case r.problem != "" || !r.caughtUp() || r.head.Height < r.state.Height:
		return time.Time{}
	case r.stale() == "":
		return r.state.Asked
	case r.head.Time.After(r.state.Asked):
		return time.Time{}
	default:
		return r.head.Time
	}
}

// stale says, for the operator, that the node's best block is older than the network's patience: the node may have lost its peers,
// and payments may be in blocks missing there. A block as far ahead means that one of the clocks is wrong, and no age tells anything.
// Transfers in the node's blocks are credited and final as ever.
func (r *reading) stale() string {
	patience, age := r.network.StaleAfter, time.Duration(r.state.Asked.Sub(r.head.Time).Seconds())*time.Second
	switch {
	case patience == 0 || age.Abs() <= patience:
		return ""
	case age > 0:
		return fmt.Sprintf("the newest block of its node, %d, is %s old: the node stands still, or lags (stale_after: %s)", r.head.Height,
			age, patience)
	default:
		return fmt.Sprintf("the newest block of its node, %d, is %s ahead of the database's clock (stale_after: %s)", r.head.Height, -age, patience)
	}
}
