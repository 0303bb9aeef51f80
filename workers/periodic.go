package workers

import (
	"context"

	"causeway/store"
	"causeway/tasks"
)

// periodic runs a job that comes again: its row stays and is planned for the next time.
func (w *Workers) periodic(ctx context.Context, j store.DueJob) error {
	if err := start(ctx, w.Store, j); err != nil {
		return err
	}
	kind := tasks.Kind(j.Kind)
	if err := w.upkeep()[kind](ctx); err != nil {
		return err
	}
	return fenced(w.Store.RetryJob(ctx, j, tasks.Specs[kind].Every, ""))
}

// upkeep lists what each periodic job does.
func (w *Workers) upkeep() map[tasks.Kind]func(context.Context) error {
	return map[tasks.Kind]func(context.Context) error{
		tasks.ExpirePayins:  w.expirePayins,
		tasks.RevokeWallets: w.revokeWallets,
		tasks.RefreshPrices: w.refreshPrices,
		tasks.Cleanup:       w.cleanup,
		tasks.CheckWallets:  w.checkWallets,
	}
}

// cleanup forgets what is out of time, and folds what changed into the counts of the lists.
func (w *Workers) cleanup(ctx context.Context) error {
	if err := w.Store.Forget(ctx); err != nil {
		return err
	}
	return w.Store.FoldCounts(ctx)
}
