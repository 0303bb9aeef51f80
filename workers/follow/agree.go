package follow

import (
	"context"
	"fmt"

	"causeway/internal/store"
	"causeway/tasks"
)

// agree lowers the heights up to which transfers are credited and final. The limit is the highest block shared by the followed chain
// and the node that reported the head: one address may have several nodes, one of them on a fork left by the others. Blocks are
// linked, so both agree on every block below it. While any compared block differs, nothing is credited or final. A head above the
// last readable block comes from another node, too: confirmations are counted from the last readable one.
func (w *Worker) agree(ctx context.Context, r *reading) error {
	heights := make([]int64, len(r.head.Marks))
	for i, m := range r.head.Marks {
		heights[i] = m.Height
	}
	ours, err := w.hashes(ctx, r, heights)
	if err != nil {
		return err
	}
	agreed := int64(-1)
	for _, m := range r.head.Marks {
		switch hash := ours[m.Height]; {
		case hash == m.Hash:
			agreed = max(agreed, m.Height)
		case hash != "":
			r.problem = fmt.Sprintf("nodes disagree: block %d is %s for the one that tells the head, and %s was followed", m.Height, m.Hash, hash)
		}
	}
	if r.problem != "" {
		agreed = -1
	} else if r.head.Agreed != nil {
		agreed, r.problem = min(agreed, *r.head.Agreed), r.head.Dispute
	}
	if r.problem != "" && w.FreshOn(r.network.Name, tasks.FollowNetwork, r.problem) {
		w.LogFor(r.network).Warn(r.problem)
	}
	missing := r.missing()
	if r.head.Final == min(r.head.Final-missing, agreed) && r.head.Final <= r.followed() {
		r.clock = &r.head.Clock
	}
	r.head.Credit, r.head.Final = min(r.head.Credit-missing, agreed), min(r.head.Final-missing, agreed)
	r.early = store.EarlyHeights{Safe: min(r.head.Safe-missing, agreed), Finalized: min(r.head.Finalized-missing, agreed),
		Counted: r.head.Height - missing, Agreed: agreed}
	return nil
}

// missing is how many blocks below the head could not be read, though the step asked for them.
func (r *reading) missing() int64 {
	top := r.state.Height
	if r.beyond {
		return 0
	}
	if n := len(r.blocks); n > 0 {
		top = r.blocks[n-1].Height
	}
	return max(0, r.head.Height-top)
}

// hashes returns the followed hashes at heights: of the blocks of this step, the one before them and, for steps with something to
// decide, the remembered ones. A height not followed, or forgotten, is missing.
func (w *Worker) hashes(ctx context.Context, r *reading, heights []int64) (map[int64]string, error) {
	out := map[int64]string{r.state.Height: r.state.Hash}
	for i := range r.blocks {
		out[r.blocks[i].Height] = r.blocks[i].Hash
	}
	var older []int64
	for _, h := range heights {
		if _, known := out[h]; !known && h < r.state.Height {
			older = append(older, h)
		}
	}
	if len(older) == 0 || len(r.found) == 0 && !r.state.Arrived && !r.state.Signed {
		return out, nil
	}
	return out, w.Store.BlockHashes(ctx, r.network.Name, older, out)
}
