package utxo

import (
	"context"
	"fmt"
	"time"

	"causeway/chains"
)

// index knows the coins of our addresses, at each of the newest blocks. It lives in memory: it begins with a scan of all coins by the
// node or, where the node cannot scan, with the first followed block. Then it reads block by block, and a script is looked up in a map,
// so its cost does not grow with our addresses.
type index struct {
	turn    chan struct{}     // held by who uses the rest
	search  *search           // under way, or done and not taken yet
	scripts map[string]uint32 // of our addresses with their index and 1 more, and of others asked for
	derived uint32            // how many deposit addresses are among them
	used    uint32            // the last of them asked for, and 1 more
	hidden  bool              // a script is of another form than ours
	ranged  uint32            // how many deposit addresses are in one object of a search; mostRanged when zero
	built   bool
	top     int64
	floor   int64 // the lowest height that it answers for
	hashes  map[int64]hash
	coins   map[place]*record

	deep      int64 // the height far below the top that was asked for last,
	deepUntil time.Time
	patience  time.Duration // how long one question reads blocks downwards; readFor when zero
}

// record is a coin of ours. It is in the chain from its block to the one before that which spends it.
type record struct {
	held
	made  int64
	spent int64 // 0 while it is unspent
	young bool  // a coinbase
}

// kept is for how many blocks below the top spent coins are kept, unless more were asked for: deeper reorganisations build the index anew.
const kept = 1000

// there reports whether a coin counts at a height. A coinbase counts once it may be spent.
func (r *record) there(height, maturity int64) bool {
	from := r.made
	if r.young {
		from += maturity - 1
	}
	return from <= height && (r.spent == 0 || r.spent > height)
}

// coinsAt returns the coins of scripts at a height.
func (c *Connector) coinsAt(ctx context.Context, scripts map[string]bool, height int64) ([]held, error) {
	if len(scripts) == 0 {
		return nil, c.nodes.Ready(ctx)
	}
	x := &c.index
	select {
	case x.turn <- struct{}{}:
		defer func() { <-x.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: the coins of our addresses are being looked up by others: %w", chains.ErrDown, ctx.Err())
	}
	if err := c.use(ctx, func(v view) error { return v.cover(ctx, scripts, height) }); err != nil {
		return nil, err
	}
	var out []held
	for _, r := range x.coins {
		if scripts[r.script] && r.there(height, c.coin.maturity) {
			out = append(out, r.held)
		}
	}
	return out, nil
}

// cover has the index answer for scripts at a height. It is built anew for new scripts, and after a reorganisation that it cannot undo.
func (v view) cover(ctx context.Context, scripts map[string]bool, height int64) error {
	x := &v.index
	grown, err := v.grow(scripts)
	if err != nil {
		return err
	}
	x.built = x.built && !grown
	for again := true; again; again = !x.built {
		if !x.built {
			if err := v.build(ctx); err != nil {
				return err
			}
		}
		if err := v.advance(ctx); err != nil {
			return err
		}
	}
	if height > x.top {
		return lacking("the node is at block %d, below %d", x.top, height)
	}
	return v.descend(ctx, height)
}

// knows reports whether a script is one of the index.
func (x *index) knows(script string) bool {
	_, known := x.scripts[script]
	return known
}

// put adds a coin.
func (x *index) put(r *record) { x.coins[r.place] = r }

// undo takes the blocks above a height back.
func (x *index) undo(height int64) {
	for at, r := range x.coins {
		if r.made > height {
			delete(x.coins, at)
		} else if r.spent > height {
			r.spent = 0
		}
	}
	for ; x.top > height; x.top-- {
		delete(x.hashes, x.top)
	}
}

// forget drops what is too deep to be undone.
func (x *index) forget() {
	to := x.top - kept
	if time.Now().Before(x.deepUntil) {
		to = min(to, x.deep)
	}
	if to-x.floor <= kept {
		return
	}
	for h := x.floor; h < to; h++ {
		delete(x.hashes, h)
	}
	x.floor = to
	for at, r := range x.coins {
		if r.spent > 0 && r.spent <= x.floor {
			delete(x.coins, at)
		}
	}
}
