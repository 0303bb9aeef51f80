package nodes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"causeway/chains"
)

// View is what one node shows of its chain.
type View struct {
	Best   chains.Mark
	Time   time.Time        // of the best block
	Hashes map[int64]string // by height; missing where the node has no block
}

// errMoved says that a chain has changed between two answers.
var errMoved = fmt.Errorf("%w: the chain has changed between two answers", chains.ErrDown)

// ours returns the view of the node in use. It asks only for what the head has not shown.
func (c *comparison[C]) ours(ctx context.Context) (View, error) {
	v := View{Best: c.best, Time: c.head.Time, Hashes: map[int64]string{}}
	for _, m := range c.head.Marks {
		v.Hashes[m.Height] = m.Hash
	}
	var missing []int64
	for _, height := range []int64{c.top, c.head.Final} {
		if v.Hashes[height] == "" && height >= 0 {
			missing = append(missing, height)
		}
	}
	return v, v.read(ctx, c.node.Client.Hashes, missing...)
}

// theirs returns the view of another node: its best block, and those at some heights.
func (c *comparison[C]) theirs(ctx context.Context, other Node[C], heights ...int64) (View, error) {
	v, err := other.Client.Best(ctx, slices.DeleteFunc(heights, func(h int64) bool { return h < 0 })...)
	if err != nil {
		return View{}, err
	}
	out := View{Best: v.Best, Time: v.Time, Hashes: map[int64]string{v.Best.Height: v.Best.Hash}}
	maps.Copy(out.Hashes, v.Hashes)
	return out, nil
}

// read adds blocks of the same chain to the view.
func (v *View) read(ctx context.Context, hashes func(context.Context, ...int64) (map[int64]string, error), heights ...int64) error {
	if len(heights) == 0 {
		return nil
	}
	told, err := hashes(ctx, append(slices.Clone(heights), v.Best.Height)...)
	if err != nil {
		return err
	}
	if told[v.Best.Height] != v.Best.Hash {
		return errMoved
	}
	maps.Copy(v.Hashes, told)
	return nil
}

// shared returns the highest block up to top found in both chains, and in words where they contradict each other above it. It looks
// below a contradiction in doubling steps.
func (c *comparison[C]) shared(ctx context.Context, other Node[C], ours, theirs View, top int64) (int64, string, error) {
	at := min(top, theirs.Best.Height)
	if at < 0 {
		return at, "", nil
	}
	if ours.Hashes[at] == "" {
		if err := ours.read(ctx, c.node.Client.Hashes, at); err != nil {
			return 0, "", errMoved // the fault is not the other node's
		}
	}
	if theirs.Hashes[at] == "" {
		if err := theirs.read(ctx, other.Client.Hashes, at); err != nil {
			return 0, "", err
		}
	}
	if ours.Hashes[at] == "" || theirs.Hashes[at] == "" {
		return 0, "", errMoved // it was read at another moment than the best block
	}
	if ours.Hashes[at] == theirs.Hashes[at] {
		return at, "", nil
	}
	contrary := fmt.Sprintf("block %d is %s for node %d, and %s for node %d", at, ours.Hashes[at], c.node.place.at(), theirs.Hashes[at], other.place.at())
	height, err := c.below(ctx, other, ours, theirs, at)
	return height, contrary, err
}

// below returns the highest block found in both chains of those looked at below a contradiction, -1 for none.
func (c *comparison[C]) below(ctx context.Context, other Node[C], ours, theirs View, at int64) (int64, error) {
	var below []int64
	for step := int64(1); at-step >= 0; step = 2*step + 1 {
		below = append(below, at-step)
	}
	if err := ours.read(ctx, c.node.Client.Hashes, below...); err != nil {
		return 0, errMoved
	}
	if err := theirs.read(ctx, other.Client.Hashes, below...); err != nil {
		return 0, err
	}
	for _, height := range below {
		if hash := ours.Hashes[height]; hash != "" && hash == theirs.Hashes[height] {
			return height, nil
		}
	}
	return -1, nil
}
