package ripple

import (
	"context"
	"fmt"
	"slices"
)

// claim is what a node says of the number of an address.
type claim struct {
	node   node
	number uint64 // 0 for no account
}

// agreedNumber returns the first number of a deposit address unused in the ledger before the newest one. Nodes are asked in order until two
// say the same, and a node that says another one is left alone. If no two do, the lowest number counts: one that is too low is refused when
// it is sent, and one that is too high would wait for others.
func (c *Connector) agreedNumber(ctx context.Context, address string) (uint64, error) {
	var said []claim
	err := c.node.Use(ctx, func(n node) error {
		best, err := n.Client.Header(ctx, "validated")
		if err != nil {
			return err
		}
		ask := func(n node) (enough bool, err error) {
			number, err := numberAt(ctx, n, address, best.Index-1)
			if err != nil {
				return false, err
			}
			enough = slices.ContainsFunc(said, func(other claim) bool { return other.number == number })
			said = append(said, claim{n, number})
			return enough, nil
		}
		said = nil
		if _, err := ask(n); err != nil {
			return err
		}
		c.node.Others(ctx, n, ask)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("next number: %w", err)
	}
	number, agreed := settle(said)
	for _, other := range said {
		if agreed && other.number != number {
			c.node.Leave(other.node, odd("it says that the number of %s is %d, and two nodes say %d", address, other.number, number))
		}
	}
	switch {
	case number == 0:
		return 0, fmt.Errorf("next number: %w", errUnfunded(address))
	case !agreed && len(said) > 1:
		c.log.WithField("address", address).WithField("number", number).Warn("nodes tell different numbers of a deposit address: the lowest is taken")
	}
	return number, nil
}

// settle returns the number that the last node and one before it say, or else the lowest of those that know the account.
func settle(said []claim) (number uint64, agreed bool) {
	last := said[len(said)-1].number
	for _, other := range said[:len(said)-1] {
		if other.number == last {
			return last, true
		}
	}
	for _, one := range said {
		if one.number > 0 && (number == 0 || one.number < number) {
			number = one.number
		}
	}
	return number, false
}
