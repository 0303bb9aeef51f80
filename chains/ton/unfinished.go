package ton

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// patience is how long a step asks about accounts. What it has read by then is kept, and the next step for the same blocks goes on.
const patience = 12 * time.Second

// unfinished is what was read for blocks that are not told yet, since there was no time for all accounts.
type unfinished struct {
	sync.Mutex
	low, high int64 // the first and the last of the blocks
	read      map[account][]*transaction
}

// count is how many blocks from a height on were begun; 0 for none.
func (u *unfinished) count(from int64) int64 {
	u.Lock()
	defer u.Unlock()
	if u.read == nil || u.low != from {
		return 0
	}
	return u.high - u.low + 1
}

// of returns what was read for some blocks. What was read for others is forgotten.
func (u *unfinished) of(low, high int64) map[account][]*transaction {
	u.Lock()
	defer u.Unlock()
	if u.read == nil || u.low != low || u.high != high {
		u.low, u.high, u.read = low, high, map[account][]*transaction{}
	}
	return maps.Clone(u.read)
}

// keep keeps what was read of an account for some blocks.
func (u *unfinished) keep(low, high int64, a account, steps []*transaction) {
	u.Lock()
	defer u.Unlock()
	if u.read != nil && u.low == low && u.high == high {
		u.read[a] = steps
	}
}

// forget forgets what was read: its blocks are told, or a node has told something odd.
func (u *unfinished) forget() {
	u.Lock()
	defer u.Unlock()
	u.read = nil
}

// walked returns the transactions of accounts in blocks, in their order. It returns false if there was no time for all accounts: at least one
// was read, and the next call for the same blocks goes on.
func (c *Connector) walked(ctx context.Context, n node, accounts []account, from, top int64) (steps []*transaction, whole bool, err error) {
	known, all := c.unfinished.of(from, top), make([][]*transaction, len(accounts))
	until, fresh := time.Now().Add(c.patience), 0
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(questionsAtOnce)
	whole = true
	for i, a := range accounts {
		if read, done := known[a]; done {
			all[i] = read
			continue
		}
		if whole = fresh == 0 || time.Now().Before(until); !whole {
			break
		}
		fresh++
		group.Go(func() (err error) {
			if all[i], err = c.between(within, n, a, from-1, top); err == nil {
				c.unfinished.keep(from, top, a, all[i])
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		if ctx.Err() == nil {
			c.unfinished.forget()
		}
		return nil, false, err
	}
	steps = slices.Concat(all...)
	slices.SortStableFunc(steps, func(x, y *transaction) int { return cmp.Compare(x.lt, y.lt) })
	return steps, whole, nil
}
