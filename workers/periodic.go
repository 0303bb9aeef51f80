package workers

import (
	"context"

	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/desk"
)

// periodicWork is what the jobs that come again do. Reconciliation is not here: it has a handler of its own, since how soon it comes
// again depends on what it found.
var periodicWork = map[tasks.Kind]func(*Workers, context.Context) error{
	tasks.ExpirePayins:  (*Workers).expirePayins,
	tasks.RevokeWallets: (*Workers).revokeWallets,
	tasks.RefreshPrices: (*Workers).refreshPrices,
	tasks.Cleanup:       (*Workers).cleanup,
	tasks.CheckWallets:  (*Workers).checkWallets,
}

// periodic runs a job that comes again: its row stays and is planned for the next time.
func (w *Workers) periodic(ctx context.Context, j store.DueJob) error {
	if err := desk.Start(ctx, w.Store, j); err != nil {
		return err
	}
	kind := tasks.Kind(j.Kind)
	if err := periodicWork[kind](w, ctx); err != nil {
		return err
	}
	return desk.Fenced(w.Store.RetryJob(ctx, j, tasks.Specs[kind].Every, ""))
}

// cleanup forgets what is out of time, and folds what changed into the counts of the lists.
func (w *Workers) cleanup(ctx context.Context) error {
	if err := w.Store.DeleteExpired(ctx); err != nil {
		return err
	}
	return w.Store.FoldCounts(ctx)
}
