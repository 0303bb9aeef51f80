package follow

import (
	"context"

	"causeway/internal/batch/gather"
	"causeway/internal/store"
	"causeway/tasks"
)

// groups are the two statements of a step shared by steps along several networks: its start, and its end when nothing of ours is in
// it.
type groups struct {
	started  gather.Group[store.FollowStart, *store.FollowState]
	advanced gather.Group[store.FollowAdvance, bool]
}

// startFollows starts steps; nil for a step whose job another attempt has.
func (w *Worker) startFollows(ctx context.Context, asked []store.FollowStart) ([]*store.FollowState, error) {
	return w.Store.StartFollows(ctx, asked, tasks.Visibility)
}
