package evm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// view is what one node shows of its chain.
type view struct {
	best   chains.Mark
	time   time.Time        // of the best block
	hashes map[int64]string // by height; missing where the node has no block
}

// ours returns the view of the node in use. It asks only for what the head has not shown.
func (c *Connector) ours(ctx context.Context, node *client.Client, head *chains.Head, best chains.Mark, top int64) (view, error) {
	v := view{best: best, hashes: map[int64]string{}}
	for _, m := range head.Marks {
		v.hashes[m.Height] = m.Hash
	}
	var missing []int64
	for _, height := range []int64{top, head.Final} {
		if v.hashes[height] == "" && height >= 0 {
			missing = append(missing, height)
		}
	}
	return v, v.read(ctx, node, missing...)
}

// theirs returns the view of another node: its best block, and those at some heights.
func (c *Connector) theirs(ctx context.Context, other *client.Client, heights ...int64) (view, error) {
	var latest *client.Header
	headers := make([]*client.Header, len(heights))
	questions := []*client.Question{client.Ask(&latest, "eth_getBlockByNumber", "latest", false)}
	for i, height := range heights {
		questions = append(questions, client.Ask(&headers[i], "eth_getBlockByNumber", hexutil.Uint64(max(height, 0)), false))
	}
	if err := other.Batch(ctx, questions...); err != nil {
		return view{}, err
	}
	height, ok := heightOf(latest)
	if !ok {
		return view{}, odd("a latest block without its fields")
	}
	v := view{best: chains.Mark{Height: height, Hash: latest.Hash.Hex()}, time: timeOf(latest), hashes: map[int64]string{}}
	v.add(headers, heights)
	v.hashes[height] = v.best.Hash
	return v, nil
}

func (v *view) add(headers []*client.Header, heights []int64) {
	for i, height := range heights {
		if headers[i].Complete(height) {
			v.hashes[height] = headers[i].Hash.Hex()
		}
	}
}

// read adds blocks of the same chain to the view.
func (v *view) read(ctx context.Context, node *client.Client, heights ...int64) error {
	if len(heights) == 0 {
		return nil
	}
	headers := make([]*client.Header, len(heights)+1)
	questions := make([]*client.Question, len(headers))
	for i, height := range slices.Concat(heights, []int64{v.best.Height}) {
		questions[i] = client.Ask(&headers[i], "eth_getBlockByNumber", hexutil.Uint64(max(height, 0)), false)
	}
	if err := node.Batch(ctx, questions...); err != nil {
		return err
	}
	if top := headers[len(heights)]; !top.Complete(v.best.Height) || top.Hash.Hex() != v.best.Hash {
		return errForked
	}
	v.add(headers, heights)
	return nil
}

// shared returns the highest block up to top found in both chains, and in words where they contradict each other above it. It looks
// below a contradiction in doubling steps.
func (c *Connector) shared(ctx context.Context, node, other *client.Client, ours, theirs view, top int64) (int64, string, error) {
	at := min(top, theirs.best.Height)
	if at < 0 {
		return at, "", nil
	}
	if ours.hashes[at] == "" {
		if err := ours.read(ctx, node, at); err != nil {
			return 0, "", errForked // the fault is not the other node's
		}
	}
	if theirs.hashes[at] == "" {
		if err := theirs.read(ctx, other, at); err != nil {
			return 0, "", err
		}
	}
	if ours.hashes[at] == "" || theirs.hashes[at] == "" {
		return 0, "", errForked // it was read at another moment than the best block
	}
	if ours.hashes[at] == theirs.hashes[at] {
		return at, "", nil
	}
	contrary := fmt.Sprintf("block %d is %s for node %d, and %s for node %d", at, ours.hashes[at], c.node.Place(node), theirs.hashes[at], c.node.Place(other))
	var below []int64
	for step := int64(1); at-step >= 0; step = 2*step + 1 {
		below = append(below, at-step)
	}
	if err := ours.read(ctx, node, below...); err != nil {
		return 0, "", errForked
	}
	if err := theirs.read(ctx, other, below...); err != nil {
		return 0, "", err
	}
	for _, height := range below {
		if hash := ours.hashes[height]; hash != "" && hash == theirs.hashes[height] {
			return height, contrary, nil
		}
	}
	return -1, contrary, nil
}
