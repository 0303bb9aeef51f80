package follow

import (
	"context"
	"fmt"

	"causeway/internal/store"
	"causeway/tasks"
)

// agree lowers how far transfers are credited and final to the highest block in which the node that reported the head agrees with
// the chain that was followed: behind one address may be several nodes, one of them on a fork that the others have left. Blocks are
// linked, so both agree on all below it. While any compared block differs, nothing is credited or final. A head above the last
// block that there is to read is told by another node, too: confirmations are counted from that block.
func (w *Worker) agree(ctx context.Context, s *step) error {
	heights := make([]int64, len(s.head.Marks))
	for i, m := range s.head.Marks {
		heights[i] = m.Height
	}
	ours, err := w.hashes(ctx, s, heights)
	if err != nil {
		return err
	}
	agreed := int64(-1)
	for _, m := range s.head.Marks {
		switch hash := ours[m.Height]; {
		case hash == m.Hash:
			agreed = max(agreed, m.Height)
		case hash != "":
			s.problem = fmt.Sprintf("nodes disagree: block %d is %s for the one that tells the head, and %s was followed", m.Height, m.Hash, hash)
		}
	}
	if s.problem != "" {
		if agreed = -1; w.FreshOn(s.network.Name, tasks.FollowNetwork, s.problem) {
			w.LogFor(s.network).Warn(s.problem)
		}
	}
	missing := s.missing()
	s.head.Credit, s.head.Final = min(s.head.Credit-missing, agreed), min(s.head.Final-missing, agreed)
	s.early = store.EarlyHeights{Safe: min(s.head.Safe-missing, agreed), Finalized: min(s.head.Finalized-missing, agreed),
		Counted: s.head.Height - missing, Agreed: agreed}
	return nil
}

// missing is how many blocks below the head could not be read, though the step asked for them.
func (s *step) missing() int64 {
	top := s.state.Height
	if s.beyond {
		return 0
	}
	if n := len(s.blocks); n > 0 {
		top = s.blocks[n-1].Height
	}
	return max(0, s.head.Height-top)
}

// hashes returns what we follow at heights: the blocks of this step, the one before them, and, for steps in which there is
// something to decide, what is remembered. A height that was not followed or is forgotten is missing.
func (w *Worker) hashes(ctx context.Context, s *step, heights []int64) (map[int64]string, error) {
	out := map[int64]string{s.state.Height: s.state.Hash}
	for i := range s.blocks {
		out[s.blocks[i].Height] = s.blocks[i].Hash
	}
	var older []int64
	for _, h := range heights {
		if _, known := out[h]; !known && h < s.state.Height {
			older = append(older, h)
		}
	}
	if len(older) == 0 || len(s.found) == 0 && !s.state.Arrived && !s.state.Signed {
		return out, nil
	}
	return out, w.Store.BlockHashes(ctx, s.network.Name, older, out)
}
