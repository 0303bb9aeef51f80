package follow

import (
	"fmt"
	"time"
)

// passed returns the moment up to which what is on the network is known once the step is written: when it began, if it then
// reaches the head, which was asked for later, or the time of a head that is stale. It is zero while blocks are missing, a node is
// behind, nodes disagree, or it cannot be told how old the head is.
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

// stale says, for the operator, that the node's best block is older than the network has patience for: the node may have lost its
// peers, and what is paid is in blocks that it does not have. A block that is as far ahead says that one of the clocks is wrong, so
// that no age tells anything. What is in the blocks that it has is credited and final as ever.
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
