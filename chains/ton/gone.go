package ton

import (
	"context"
	"errors"
	"slices"

	"causeway/chains/ton/client"
)

// stretch is an account after two blocks.
type stretch struct {
	low, high    int64
	older, newer client.State
}

// mostRent is the most that an account may have when it goes, in nanotons: storage takes less in a century.
const mostRent = 100_000_000

// steps returns the transactions of an account in a stretch, each with its block. An account without code is gone when storage has taken its last
// coins: nodes then forget its transactions, and the next ones begin anew. The blocks in between tell when that was.
func (c *Connector) steps(ctx context.Context, n node, a account, s stretch) ([]*transaction, error) {
	most := fewSteps
	if s.high-s.low == 1 {
		most = mostSteps
	}
	all, err := c.since(ctx, n, a, s.older, s.newer, most)
	switch {
	case err == nil:
		return all, c.place(ctx, n, a, all, s.low, s.high)
	case !errors.Is(err, errGone):
		return nil, err
	case s.older.Active || s.older.Frozen || s.older.Balance > mostRent:
		return nil, odd("the account %s had %d nanotons, and is gone", a, s.older.Balance)
	case s.high-s.low > 1:
		return c.halves(ctx, n, a, s)
	case s.newer.LT > 0: // it begins anew in a later block than it went
		return nil, odd("the account %s was gone and is there, within one block", a)
	case s.older.Balance == 0:
		return nil, nil
	default:
		return []*transaction{{account: a, gone: true, fees: s.older.Balance, lt: s.older.LT, seqno: s.high}}, nil
	}
}

// halves is steps of both halves of a stretch.
func (c *Connector) halves(ctx context.Context, n node, a account, s stretch) ([]*transaction, error) {
	middle := s.low + (s.high-s.low)/2
	now, err := state(ctx, n, a, middle)
	if err != nil {
		return nil, err
	}
	before, err := c.steps(ctx, n, a, stretch{s.low, middle, s.older, now})
	if err != nil {
		return nil, err
	}
	after, err := c.steps(ctx, n, a, stretch{middle, s.high, now, s.newer})
	return slices.Concat(before, after), err
}
