package ton

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"causeway/chains"
	"causeway/chains/ton/client"
)

// errGone says that an account was gone in between: the chain of its transactions ends above the older state, or the newer state has none.
var errGone = fmt.Errorf("%w: the account was gone in between", chains.ErrDown)

// errCrowd says that an account has more transactions between two states than are walked at once.
var errCrowd = fmt.Errorf("%w: an account has too many transactions in a few blocks", chains.ErrDown)

// How many transactions of an account are walked at once: in one block, and in several. Of a crowd fewer blocks are read in a step: it has a time.
const (
	mostSteps = 20_000
	fewSteps  = 500
)

// since returns the transactions of an account between two states of it, the oldest first. Each names the one before it by its hash, so none is
// missing and none was made up, if the newer state is true. Of an account that was gone in between the error is errGone, of
// one with more than so many it is errCrowd.
func (c *Connector) since(ctx context.Context, n node, a account, older, newer client.State, most int) ([]*transaction, error) {
	if newer.LT == 0 && older.LT > 0 {
		return nil, errGone
	}
	if newer.LT < older.LT {
		return nil, odd("the account %s has gone back from %d to %d", a, older.LT, newer.LT)
	}
	var out []*transaction
	lt, hash := newer.LT, newer.Hash
	for lt > older.LT {
		page, err := c.page(ctx, n, a, lt, hash, older.LT)
		if err != nil {
			return nil, err
		}
		out = append(out, page...)
		last := page[len(page)-1]
		if lt, hash = last.beforeLT, last.before; len(out) > most {
			return nil, errCrowd
		}
	}
	if lt == 0 && older.LT > 0 {
		return nil, errGone
	}
	if lt != older.LT || hash != older.Hash && lt != 0 {
		return nil, odd("the transactions of %s do not lead back to %s: one is missing", a, older.Hash)
	}
	slices.Reverse(out)
	return out, nil
}

// page returns transactions of an account, the newest first: from the one at lt with a hash down to those above another lt. There is one at least.
func (c *Connector) page(ctx context.Context, n node, a account, lt uint64, hash client.Hash, above uint64) ([]*transaction, error) {
	cells, err := n.Client.Transactions(ctx, a.String(), lt, hash, above, client.AtOnce)
	for most := client.AtOnce; client.Unread(err) && most > 1; {
		most = max(most/4, 1)
		cells, err = n.Client.Transactions(ctx, a.String(), lt, hash, above, most)
	}
	if err != nil {
		return nil, err
	}
	var out []*transaction
	for _, root := range cells {
		t, err := readTransaction(a, root)
		if err != nil {
			return nil, odd("a transaction of %s: %v", a, err)
		}
		if t.hash != hash || t.lt != lt || t.beforeLT >= t.lt {
			return nil, odd("of the account %s the transaction %s at %d was to come, and the node tells %s at %d: one is missing", a, hash, lt, t.hash, t.lt)
		}
		out = append(out, t)
		if lt, hash = t.beforeLT, t.before; lt <= above {
			break
		}
	}
	if len(out) == 0 {
		return nil, odd("the node does not tell the transaction %s of %s", hash, a)
	}
	return out, nil
}

// back goes through the transactions of an account from a state on, the newest first, as long as there is more to look for. Ended is false if
// neither the first transaction nor the end of the search was reached: there are more pages, or the node does not remember them.
func (c *Connector) back(ctx context.Context, n node, a account, from client.State, pages int, do func(*transaction) (more bool)) (ended bool, err error) {
	lt, hash := from.LT, from.Hash
	for ; pages > 0 && lt > 0; pages-- {
		all, err := c.page(ctx, n, a, lt, hash, 0)
		if client.Lacks(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for _, t := range all {
			if lt, hash = t.beforeLT, t.before; !do(t) {
				return true, nil
			}
		}
	}
	return lt == 0, nil
}

// state returns an account after a block; before the first one there is nothing.
func state(ctx context.Context, n node, a account, seqno int64) (client.State, error) {
	if seqno < 1 {
		return client.State{}, nil
	}
	return n.Client.State(ctx, a.String(), seqno)
}

// place finds the block that first shows each of some transactions of an account, which come in a row after the block low, up to the block high.
func (c *Connector) place(ctx context.Context, n node, a account, all []*transaction, low, high int64) error {
	for len(all) > 0 && high-low > 1 {
		middle := low + (high-low)/2
		now, err := state(ctx, n, a, middle)
		if err != nil {
			return err
		}
		older := sort.Search(len(all), func(i int) bool { return all[i].lt > now.LT })
		if err := c.place(ctx, n, a, all[:older], low, middle); err != nil {
			return err
		}
		all, low = all[older:], middle
	}
	for _, t := range all {
		t.seqno = high
	}
	return nil
}
