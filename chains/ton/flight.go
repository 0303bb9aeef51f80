package ton

import (
	"context"
	"math/big"

	"github.com/xssnick/tonutils-go/tvm/cell"
)

// flightPages is how many pages of transactions may be between a message and its arrival.
const flightPages = 3

// onTheWay returns the units of messages that an account has sent to another by a block, and that the other has received in none up to there. Units
// reads those of a body. Messages from one account to another arrive in their order, so all after the last that arrived are on the way.
func (c *Connector) onTheWay(ctx context.Context, n node, from, to account, height int64, units func(*cell.Cell) *big.Int) (*big.Int, error) {
	sum := new(big.Int)
	last, err := c.lastFrom(ctx, n, to, from, height)
	if err != nil {
		return nil, err
	}
	err = c.each(ctx, n, from, height, func(t *transaction) (more bool) {
		for i := range t.out {
			if m := &t.out[i]; m.to == to && m.created > last {
				if u := units(m.body); u != nil {
					sum.Add(sum, u)
				}
			}
		}
		return t.lt > last
	})
	return sum, err
}

// orderedUnits are the units of an order to a jetton wallet, nil for another body.
func orderedUnits(body *cell.Cell) *big.Int {
	o, ok := readOrder(body)
	if !ok {
		return nil
	}
	return o.units
}

// noticedUnits are the units of a notice, nil for another body.
func noticedUnits(body *cell.Cell) *big.Int {
	op, rest, ok := opOf(body)
	if !ok || op != opNotice {
		return nil
	}
	n, ok := readNotice(rest)
	if !ok {
		return nil
	}
	return n.units
}

// lastFrom returns when the newest message that an account has received from another was created. If it is not among the newest ones, whatever
// is older than these has arrived.
func (c *Connector) lastFrom(ctx context.Context, n node, a, from account, height int64) (created uint64, err error) {
	oldest := uint64(0)
	err = c.each(ctx, n, a, height, func(t *transaction) (more bool) {
		if t.in != nil && t.in.from == from {
			created = t.in.created
		}
		oldest = t.beforeLT
		return created == 0
	})
	if created == 0 {
		created = oldest
	}
	return created, err
}

// each goes through the newest transactions of an account up to a block, the newest first, as long as there is more to look for.
func (c *Connector) each(ctx context.Context, n node, a account, height int64, do func(*transaction) (more bool)) error {
	now, err := state(ctx, n, a, height)
	if err == nil {
		_, err = c.back(ctx, n, a, now, flightPages, do)
	}
	return err
}
